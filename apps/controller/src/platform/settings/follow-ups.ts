import type { SettingsType } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import type { RequestContext } from '../http/context.ts';

/** Applies the consequences of a stored change elsewhere, in its transaction. Returns details for the audit log. */
export type SettingFollowUp = (ctx: RequestContext, tx: Tx) => Promise<JsonObject | undefined>;

/** Follow-ups by kind, registered by features. One that throws prevents the change. */
export class SettingFollowUps {
  readonly #followUps = new Map<string, SettingFollowUp>();

  add(type: SettingsType, followUp: SettingFollowUp): void {
    this.#followUps.set(type.key, followUp);
  }

  async run(ctx: RequestContext, tx: Tx, { key }: SettingsType): Promise<JsonObject | undefined> {
    return this.#followUps.get(key)?.(ctx, tx);
  }
}
