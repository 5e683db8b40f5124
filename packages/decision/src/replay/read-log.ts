import { StringDecoder } from 'node:string_decoder';
import { parseEnvoyLine } from './formats/envoy-text.ts';
import { parseHar } from './formats/har.ts';
import { parseJsonLine } from './formats/json-line.ts';
import { bad } from './formats/parse-record.ts';
import type { LogItem } from './recorded-request.ts';

export type LogFormat = 'jsonl' | 'har' | 'envoy';

/** Longer lines are not records. */
export const LOG_LINE_MAX_CHARS = 4 * 1024 * 1024;
/** A HAR is a single document and must be held in memory. */
export const HAR_MAX_CHARS = 128 * 1024 * 1024;

/**
 * Reads a log piece by piece: JSON lines, HAR 1.2, or an Envoy access log. Detects the format from the first line
 * unless it is given. Holds at most one line (or a HAR). A line that is too long or not a record becomes a `bad` item
 * and does not end the log.
 */
export class LogReader {
  readonly #file: string;
  readonly #decoder = new StringDecoder('utf8');
  #format: LogFormat | undefined;
  #pending = '';
  /** How much of `#pending` was searched for a line end: long lines must not be searched repeatedly. */
  #searched = 0;
  #line = 0;
  #isSkipping = false;

  /** `format` undefined: detect it. */
  constructor(file: string, format?: LogFormat) {
    this.#file = file;
    this.#format = format ?? (/\.har$/i.test(file) ? 'har' : undefined);
  }

  *push(chunk: string | Uint8Array): Generator<LogItem, void> {
    this.#pending += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    yield* this.#drain(false);
  }

  *end(): Generator<LogItem, void> {
    this.#pending += this.#decoder.end();
    yield* this.#drain(true);
  }

  *#drain(isEnd: boolean): Generator<LogItem, void> {
    if (this.#format === undefined) this.#format = this.#detect(isEnd);
    if (this.#format === undefined) return;
    if (this.#format === 'har') {
      if (this.#pending.length > HAR_MAX_CHARS) {
        if (!this.#isSkipping) yield bad({ file: this.#file, line: 1 }, `is longer than ${HAR_MAX_CHARS} characters`);
        this.#isSkipping = true;
        this.#pending = '';
      }
      if (isEnd && !this.#isSkipping) yield* parseHar(stripMark(this.#pending), this.#file);
      return;
    }
    let begin = 0;
    for (;;) {
      const end = this.#pending.indexOf('\n', Math.max(begin, this.#searched));
      if (end === -1) break;
      yield* this.#take(this.#pending.slice(begin, end));
      begin = end + 1;
      this.#searched = begin;
    }
    this.#pending = this.#pending.slice(begin);
    this.#searched = this.#pending.length;
    if (isEnd && this.#pending !== '') yield* this.#take(this.#pending);
    else if (this.#pending.length > LOG_LINE_MAX_CHARS) {
      if (!this.#isSkipping) yield this.#tooLong(this.#line + 1);
      this.#isSkipping = true;
      this.#pending = '';
      this.#searched = 0;
    }
  }

  *#take(raw: string): Generator<LogItem, void> {
    this.#line += 1;
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return;
    }
    const place = { file: this.#file, line: this.#line };
    if (raw.length > LOG_LINE_MAX_CHARS) {
      yield this.#tooLong(this.#line);
      return;
    }
    const line = (this.#line === 1 ? stripMark(raw) : raw).trim();
    if (line === '') return;
    yield this.#format === 'jsonl' || line.startsWith('{') ? parseJsonLine(line, place) : parseEnvoyLine(line, place);
  }

  #tooLong(line: number): LogItem {
    return bad({ file: this.#file, line }, `is longer than ${LOG_LINE_MAX_CHARS} characters`);
  }

  /** Undefined while the first line is incomplete. A first line of incomplete JSON begins a document. */
  #detect(isEnd: boolean): LogFormat | undefined {
    const text = stripMark(this.#pending).trimStart();
    if (text === '' && !isEnd) return undefined;
    if (!text.startsWith('{')) return 'envoy';
    const end = text.indexOf('\n');
    if (end === -1 && !isEnd && text.length <= LOG_LINE_MAX_CHARS) return undefined;
    const first = end === -1 ? text : text.slice(0, end);
    if (/^\{\s*"log"\s*:/.test(first)) return 'har';
    return isWholeJson(first) || end === -1 ? 'jsonl' : 'har';
  }
}

export function* readLogText(file: string, text: string, format?: LogFormat): Generator<LogItem, void> {
  const reader = new LogReader(file, format);
  yield* reader.push(text);
  yield* reader.end();
}

function isWholeJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    // A line that begins like `{` or `{"log": {` starts a multi-line document; anything else is a line, even if a bad
    // one.
    return !/^\{\s*(?:"[^"]*"\s*:?\s*\{?)?\s*$/.test(line);
  }
}

function stripMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
