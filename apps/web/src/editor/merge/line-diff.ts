import { diff } from '@codemirror/merge';

/** Lines `[fromA, toA)` of the old text became lines `[fromB, toB)` of the new one. */
export interface LineChange {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** Each distinct line becomes one character; with more than fit, the texts are compared as one change. */
const FIRST_CODE = 0x20;
const SURROGATES_FROM = 0xd800;
const SURROGATES_TO = 0xe000;
const LAST_CODE = 0xfffd;

/** Splits a text into lines without their line ends. A final line end adds no empty line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns the changes between two lists of lines, in order and never adjacent. */
export function diffLines(a: readonly string[], b: readonly string[]): LineChange[] {
  const codes = new Map<string, string>();
  let next = FIRST_CODE;
  const encode = (lines: readonly string[]) => {
    let text = '';
    for (const line of lines) {
      let code = codes.get(line);
      if (code === undefined) {
        if (next === SURROGATES_FROM) next = SURROGATES_TO;
        code = String.fromCharCode(next);
        next += 1;
        codes.set(line, code);
      }
      text += code;
    }
    return text;
  };
  const [textA, textB] = [encode(a), encode(b)];
  if (next > LAST_CODE) return [{ fromA: 0, toA: a.length, fromB: 0, toB: b.length }];
  return diff(textA, textB, { scanLimit: 5000 }).map(({ fromA, toA, fromB, toB }) => ({ fromA, toA, fromB, toB }));
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export function countLines(before: string, after: string): LineCounts {
  const changes = diffLines(splitLines(before), splitLines(after));
  return {
    added: changes.reduce((sum, { fromB, toB }) => sum + toB - fromB, 0),
    removed: changes.reduce((sum, { fromA, toA }) => sum + toA - fromA, 0),
  };
}
