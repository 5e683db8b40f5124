import { OUTGOING_SETTINGS, type ShownAlertTarget, SMTP_SETTINGS } from '@flotilla/contract';
import { type Clock, createId, createSilentLogger } from '@flotilla/kit';
import { type Keyring, openKeyring } from '../../../../platform/keyring/index.ts';
import { sealSecret } from '../channels/secrets.ts';
import { Courier } from '../deliver/courier.ts';
import { Sender } from '../deliver/sender.ts';
import type { AlertStage } from './stage.ts';

export const WEBHOOK_SECRET = 'a-secret-of-sixteen-and-more';

interface Target {
  readonly target: ShownAlertTarget;
  readonly secret: string;
}

/** The delivery of messages from the database of a stage. */
export class DeliveryStage {
  readonly #stage: AlertStage;
  readonly #keyring: Keyring;
  readonly #clock: Clock;
  readonly #couriers: Courier[] = [];

  private constructor(stage: AlertStage, keyring: Keyring, clock: Clock) {
    this.#stage = stage;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  static async open(stage: AlertStage, clock: Clock): Promise<DeliveryStage> {
    const keyring = await openKeyring({ db: stage.db, masterKey: '2a'.repeat(32), keyFile: '/nowhere' });
    return new DeliveryStage(stage, keyring, clock);
  }

  async close(): Promise<void> {
    await Promise.all(this.#couriers.splice(0).map((courier) => courier.close()));
  }

  /** `allowed`: the networks to which messages may be sent. */
  async addCourier(allowed: readonly string[] = ['127.0.0.0/8']): Promise<Courier> {
    const sender = new Sender();
    await sender.start({
      addTest: () => undefined,
      watch: async (type, listener) => {
        const given = type.key === OUTGOING_SETTINGS.key ? { allowed_networks: allowed } : {};
        listener(type.schema.parse(type.key === SMTP_SETTINGS.key ? {} : given) as never);
        return { close: async () => undefined };
      },
    });
    return this.addCourierWith(sender);
  }

  addCourierWith(sender: Pick<Sender, 'send'>): Courier {
    const courier = new Courier({
      db: this.#stage.db,
      keyring: this.#keyring,
      sender,
      linkTo: () => undefined,
      onAttempt: () => undefined,
      logger: createSilentLogger(),
      clock: this.#clock,
    });
    this.#couriers.push(courier);
    return courier;
  }

  /** A channel that posts to this URL. */
  async addWebhook(project: string, name: string, url: string): Promise<string> {
    return this.#addChannel(project, name, { target: { kind: 'webhook', url }, secret: WEBHOOK_SECRET });
  }

  async addSlack(project: string, name: string, url: string): Promise<string> {
    return this.#addChannel(project, name, { target: { kind: 'slack' }, secret: url });
  }

  async #addChannel(project: string, name: string, { target, secret }: Target): Promise<string> {
    const id = await this.#stage.addChannel(project, name);
    const sealed = sealSecret(this.#keyring, id, secret);
    await this.#stage.db
      .updateTable('alert_channels')
      .set({ target: JSON.stringify(target), sealed, secret_updated_at: new Date() })
      .where('id', '=', id)
      .execute();
    return id;
  }

  /** Queues messages about one alert each. */
  async queue(project: string, channel: string, count = 1): Promise<void> {
    const part = { count: 1, first: [] };
    for (let i = 0; i < count; i += 1)
      await this.#stage.db
        .insertInto('alert_deliveries')
        .values({
          id: createId(),
          project_id: project,
          channel_id: channel,
          kind: 'alerts',
          payload: JSON.stringify({ kind: 'alerts', firing: part, resolved: { count: 0, first: [] } }),
          firing: 1,
          resolved: 0,
          status: 'waiting',
          holder: null,
          error: null,
          created_at: new Date(this.#clock.now() + i),
        })
        .execute();
  }
}
