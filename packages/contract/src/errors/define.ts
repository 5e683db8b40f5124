import { AppError, type Violation } from '@flotilla/kit/app-error';

/** `message` may contain `{name}` placeholders. It says what is wrong and what to do, and never contains a secret. */
export interface ErrorEntry {
  readonly status: number;
  readonly message: string;
}

export type ErrorTable = Readonly<Record<string, ErrorEntry>>;

export interface FailOptions {
  readonly details?: readonly Violation[];
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Returns a function that turns a code of `table` into the error to throw. */
export function createFail<T extends ErrorTable>(table: T) {
  return (
    code: keyof T & string,
    values: Readonly<Record<string, unknown>> = {},
    options: FailOptions = {},
  ): AppError => {
    const entry = table[code];
    if (!entry) throw new Error(`unknown error code ${code}`);
    const message = entry.message.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? `{${name}}`));
    return new AppError({ code, httpStatus: entry.status, message, ...options });
  };
}
