import type { ImagePart } from "@tacklebox/core";

/** The image types all vendors accept; they refuse a whole request for any other. */
const ACCEPTED_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export type SentImage =
  | { readonly kind: "image"; readonly image: ImagePart }
  /** Text in place of an image the model cannot see, so that it is never dropped silently. */
  | { readonly kind: "placeholder"; readonly text: string };

/**
 * Converts an image for sending. Tool results are untrusted: only base64 passes, because vendors refuse the whole
 * request for anything else, and a URL could make the vendor fetch it.
 */
export function toSentImage(image: ImagePart, vision: boolean): SentImage {
  if (!vision) return placeholder(image, "this model does not accept images");
  if (!ACCEPTED_TYPES.has(image.mimeType)) return placeholder(image, "models do not accept this kind of image");
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
