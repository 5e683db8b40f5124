import type { SettingsType } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import type * as z from 'zod';

/** The effect of a change on others, and how the caller can confirm it. */
export interface Consequence {
  /** Value of the `confirm` parameter; another number belongs to another question. */
  readonly confirm: number;
  /** The error that asks for confirmation. */
  readonly question: Error;
  /** For the audit log. */
  readonly recorded: JsonObject;
}

/** Called in the transaction of the change. undefined: nobody is affected. */
export type SettingGuard<S extends z.ZodObject = z.ZodObject> = (
  tx: Tx,
  change: { readonly before: z.output<S>; readonly after: z.output<S> },
) => Promise<Consequence | undefined>;

/** Consequences that must be confirmed before a change is stored, by kind. The affected features register them. */
export class SettingGuards {
  readonly #guards = new Map<string, SettingGuard>();

  add<S extends z.ZodObject>(type: SettingsType<S>, guard: SettingGuard<S>): void {
    this.#guards.set(type.key, (tx, { before, after }) =>
      guard(tx, { before: before as z.output<S>, after: after as z.output<S> }),
    );
  }

  /** Throws the question unless it is confirmed. Returns what was confirmed. */
  async pass(
    tx: Tx,
    type: SettingsType,
    change: { readonly before: JsonObject; readonly after: JsonObject; readonly confirm: number | undefined },
  ): Promise<JsonObject | undefined> {
    const consequence = await this.#guards.get(type.key)?.(tx, change);
    if (consequence && consequence.confirm !== change.confirm) throw consequence.question;
    return consequence?.recorded;
  }
}
