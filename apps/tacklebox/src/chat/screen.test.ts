import { describe, expect, it } from "vitest";
import type { Terminal } from "../io.ts";
import { plain } from "../output/colour.ts";
import { createMemorySink } from "../testing/memory-io.ts";
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
    /** What was written since the last time. */
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
  it("writes lines above what is live, and draws that again below them", () => {
    const { screen, written } = setUp();
    screen.show("person", row("> "));
    written();
    screen.print("a line\n");
    expect(written()).toBe("\r\u001b[Ja line\n> ");
  });

  it("adds what is typed at the end without drawing the line again", () => {
    const { screen, written } = setUp();
    screen.show("person", row("> a"));
    written();
    screen.show("person", row("> ab"));
    expect(written()).toBe("b");
  });

  it("draws no more rows than the terminal has: the lowest, and one less", () => {
    const { screen, written } = setUp(20, 4);
    screen.show("calls", () => ({ rows: ["one", "two", "three"] }));
    screen.show("person", () => ({ rows: ["> abc", "  hint"], cursor: { row: 0, column: 3 } }));
    written();
    screen.print("said\n");
    expect(written()).toBe("\r\u001b[1A\u001b[Jsaid\nthree\n> abc\n  hint\r\u001b[1A\u001b[3C");
  });

  it("puts the cursor where the person types, below what else is live", () => {
    const { screen, written } = setUp();
    screen.show("servers", row("connecting"));
    screen.show("person", () => ({ rows: ["> abc", "  hint"], cursor: { row: 0, column: 3 } }));
    expect(written()).toBe("connecting\r\u001b[Jconnecting\n> abc\n  hint\r\u001b[1A\u001b[3C");
    screen.show("servers", undefined);
    expect(written()).toBe("\r\u001b[1A\u001b[J> abc\n  hint\r\u001b[1A\u001b[3C");
  });

  it("lets lines wait for the end of one that is streamed", () => {
    const { screen, written } = setUp();
    screen.stream("half a ");
    screen.print("a notice\n");
    screen.stream("line\n");
    expect(written()).toBe("half a line\na notice\n");
  });

  it("draws nothing live while text is streamed, and draws it again afterwards", () => {
    const { screen, written } = setUp();
    screen.show("person", row("> "));
    screen.stream("text");
    screen.show("calls", row("running"));
    screen.endLine();
    expect(written()).toBe("> \r\u001b[Jtext\nrunning\n> ");
  });

  it("composes the live rows anew for another width, from where a narrower terminal has folded them to", () => {
    const { screen, written, resize } = setUp(20);
    screen.show("person", (columns) => ({ rows: [`${columns} columns wide`] }));
    written();
    resize(10);
    expect(written()).toBe("\r\u001b[1A\u001b[J10 columns wide");
  });

  it("leaves nothing live when it is closed", () => {
    const { screen, written } = setUp();
    screen.show("person", row("> "));
    screen.close();
    expect(written()).toBe("> \r\u001b[J");
  });
});
