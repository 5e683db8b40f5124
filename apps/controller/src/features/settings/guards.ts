import type { SettingsType } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import type * as z from 'zod';

/** What a change would do to others, and how whoever wants it all the same says so. */
export interface Consequence {
  /** Sent as `confirm`; another one is that of another question. */
  readonly confirm: number;
  /** What is answered to whoever has not confirmed it. */
  readonly question: Error;
  /** For the audit log. */
  readonly told: JsonObject;
}

/** Undefined where nobody is hurt. Asked in the transaction of the change. */
export type SettingGuard<S extends z.ZodObject = z.ZodObject> = (
  tx: Tx,
  change: { readonly before: z.output<S>; readonly after: z.output<S> },
) => Promise<Consequence | undefined>;

/** What has to be confirmed before it is stored, by kind. Features that the change would hurt bring it. */
export class SettingGuards {
  readonly #guards = new Map<string, SettingGuard>();

  add<S extends z.ZodObject>(type: SettingsType<S>, guard: SettingGuard<S>): void {
    this.#guards.set(type.key, (tx, { before, after }) =>
      guard(tx, { before: before as z.output<S>, after: after as z.output<S> }),
    );
  }

  /** Throws the question. Returns what was confirmed. */
  async pass(
    tx: Tx,
    type: SettingsType,
    change: { readonly before: JsonObject; readonly after: JsonObject; readonly confirm: number | undefined },
  ): Promise<JsonObject | undefined> {
    const consequence = await this.#guards.get(type.key)?.(tx, change);
    if (consequence && consequence.confirm !== change.confirm) throw consequence.question;
    return consequence?.told;
  }
}
