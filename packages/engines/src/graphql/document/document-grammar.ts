import type { Tokenizer } from './tokenizer.ts';

/**
 * Grammar shared by definitions of every kind. Each method leaves the current token after what it read; boolean results
 * are false if something else is there.
 */
export interface DocumentGrammar {
  readonly tokens: Tokenizer;
  /** Consumes a token of this kind. */
  accept(kind: number): boolean;
  acceptWord(word: Uint8Array): boolean;
  /** Accepts `query`, `mutation` or `subscription`, where a schema names its root types. */
  acceptOperationType(): boolean;
  skipDescription(): void;
  /** `isConst`: variables are not allowed. */
  parseDirectives(isConst: boolean): boolean;
  parseType(): boolean;
  parseValue(isConst: boolean): boolean;
}
