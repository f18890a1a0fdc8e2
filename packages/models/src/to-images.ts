import type { ImagePart } from "@tacklebox/core";

/** What vendors look at; anything else makes them refuse the whole request. */
const SEEN_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export type SentImage =
  | { readonly kind: "image"; readonly image: ImagePart }
  /** Says that there was an image, for a model that cannot see it: never dropped silently. */
  | { readonly kind: "placeholder"; readonly text: string };

/**
 * An image as it may be sent. Tool results are other people's data: only base64 passes, because anything else makes
 * vendors refuse the whole request, and an address could make somebody fetch it.
 */
export function toSentImage(image: ImagePart, vision: boolean): SentImage {
  if (!vision) return placeholder(image, "this model does not take images");
  if (!SEEN_TYPES.has(image.mimeType)) return placeholder(image, "models do not take this kind of image");
  if (!isBase64(image.data)) return placeholder(image, "it is not valid base64");
  return { kind: "image", image };
}

function placeholder({ mimeType, data }: ImagePart, why: string): SentImage {
  const kind = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "unknown type";
  return {
    kind: "placeholder",
    text: `[image, ${kind}, ${Math.ceil((data.length * 3) / 4)} bytes, not shown: ${why}]`,
  };
}

function isBase64(data: string): boolean {
  return data !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}
