import { describe, expect, it } from "vitest";
import type { Terminal } from "../../io.ts";
import { plain } from "../../output/colour.ts";
import { createMemorySink } from "../../testing/memory-io.ts";
import { createScreen } from "./screen.ts";

function setUp(width = 20, height = 24) {
  let columns = width;
  let resized: () => void = () => undefined;
  const terminal: Terminal = {
    columns: () => columns,
    rows: () => height,
    onResize(listener) {
      resized = listener;
      return () => undefined;
    },
    setRaw: () => undefined,
  };
  const sink = createMemorySink();
  let seen = 0;
  return {
    screen: createScreen(sink, terminal, plain, (task) => task()),
    /** What was written since the last call. */
    written() {
      const text = sink.text().slice(seen);
      seen = sink.text().length;
      return text;
    },
    resize(to: number) {
      columns = to;
      resized();
    },
  };
}

const row = (text: string) => () => ({ rows: [text] });

describe("the screen", () => {
  it("prints lines above the live rows, and redraws those below", () => {
    const { screen, written } = setUp();
    screen.show("person", row("> "));
    written();
    screen.print("a line\n");
    expect(written()).toBe("\r\u001b[Ja line\n> ");
  });

  it("appends what is typed at the end of a line without redrawing it", () => {
    const { screen, written } = setUp();
    screen.show("person", row("> a"));
    written();
    screen.show("person", row("> ab"));
    expect(written()).toBe("b");
  });

  it("draws the lowest rows, at most one less than the terminal has", () => {
    const { screen, written } = setUp(20, 4);
    screen.show("calls", () => ({ rows: ["one", "two", "three"] }));
    screen.show("person", () => ({ rows: ["> abc", "  hint"], cursor: { row: 0, column: 3 } }));
    written();
    screen.print("said\n");
    expect(written()).toBe("\r\u001b[1A\u001b[Jsaid\nthree\n> abc\n  hint\r\u001b[1A\u001b[3C");
  });

  it("puts the cursor where the person types, below the other live rows", () => {
    const { screen, written } = setUp();
    screen.show("servers", row("connecting"));
    screen.show("person", () => ({ rows: ["> abc", "  hint"], cursor: { row: 0, column: 3 } }));
    expect(written()).toBe("connecting\r\u001b[Jconnecting\n> abc\n  hint\r\u001b[1A\u001b[3C");
    screen.show("servers", undefined);
    expect(written()).toBe("\r\u001b[1A\u001b[J> abc\n  hint\r\u001b[1A\u001b[3C");
  });

  it("holds lines back until a streamed line ends", () => {
    const { screen, written } = setUp();
    screen.stream("half a ");
    screen.print("a notice\n");
    screen.stream("line\n");
    expect(written()).toBe("half a line\na notice\n");
  });

  it("hides the live rows while text is streamed, and shows them again afterwards", () => {
    const { screen, written } = setUp();
    screen.show("person", row("> "));
    screen.stream("text");
    screen.show("calls", row("running"));
    screen.endLine();
    expect(written()).toBe("> \r\u001b[Jtext\nrunning\n> ");
  });

  it("lays out the live rows again for another width, and erases them where a narrower terminal wrapped them", () => {
    const { screen, written, resize } = setUp(20);
    screen.show("person", (columns) => ({ rows: [`${columns} columns wide`] }));
    written();
    resize(10);
    expect(written()).toBe("\r\u001b[1A\u001b[J10 columns wide");
  });

  it("removes the live rows when it is closed", () => {
    const { screen, written } = setUp();
    screen.show("person", row("> "));
    screen.close();
    expect(written()).toBe("> \r\u001b[J");
  });
});
