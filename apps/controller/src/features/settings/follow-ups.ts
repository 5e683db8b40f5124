import type { SettingsType } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import type { RequestContext } from '../../http/context.ts';

/** What a change that is stored brings about elsewhere, in its transaction. Returns what is told of it in the audit log. */
export type SettingFollowUp = (ctx: RequestContext, tx: Tx) => Promise<JsonObject | undefined>;

/** By kind. Features that go by a document bring it; one that throws keeps the change from being stored. */
export class SettingFollowUps {
  readonly #followUps = new Map<string, SettingFollowUp>();

  add(type: SettingsType, followUp: SettingFollowUp): void {
    this.#followUps.set(type.key, followUp);
  }

  async run(ctx: RequestContext, tx: Tx, { key }: SettingsType): Promise<JsonObject | undefined> {
    return this.#followUps.get(key)?.(ctx, tx);
  }
}
