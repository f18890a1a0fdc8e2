import { expect, it } from "vitest";
import { toFileUri } from "./file-uri.ts";

it.each([
  ["/", "file:///"],
  ["/home/ada/a b%c?d#e", "file:///home/ada/a%20b%25c%3Fd%23e"],
  ["/home/ada\\n", "file:///home/ada%5Cn"],
  ["/größe/日本", "file:///gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC"],
  ["C:\\Users\\Ada L", "file:///C:/Users/Ada%20L"],
  ["d:/work", "file:///d:/work"],
  ["\\\\server\\share\\x", "file://server/share/x"],
  ["/lone/\ud800", "file:///lone/%EF%BF%BD"],
])("S3.28 %j is told as %s", (path, uri) => {
  expect(toFileUri(path)).toBe(uri);
});
