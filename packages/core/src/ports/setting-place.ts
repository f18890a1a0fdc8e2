/** A setting that can keep a tool from being called. */
export type Setting =
  | {
      readonly of: "server";
      readonly server: string;
      readonly key: "allow" | "deny" | "mode" | "approval" | "enabled" | "pin";
      /** The element of a list. */
      readonly index?: number;
    }
  | { readonly of: "toolbox"; readonly key: "tools" | "local"; readonly index?: number; readonly field?: "approval" };

/** Where a setting is written, such as `tacklebox.yaml:7`; undefined if it is written nowhere. */
export type PlaceOf = (setting: Setting) => string | undefined;
