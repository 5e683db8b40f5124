import { GENERAL_SETTINGS } from '@flotilla/contract';
import type { Closable } from '@flotilla/kit';
import type { Settings } from './service.ts';

/** The current public URL. A change applies everywhere within a second. */
export class PublicAddress implements Closable {
  #value: string | undefined;
  #watch: Closable | undefined;

  /** `fallback` is used while the settings contain none. */
  static async open(settings: Pick<Settings, 'watch'>, fallback: string | undefined): Promise<PublicAddress> {
    const address = new PublicAddress();
    address.#watch = await settings.watch(GENERAL_SETTINGS, ({ public_url: url }) => {
      address.#value = url ?? fallback;
    });
    return address;
  }

  get value(): string | undefined {
    return this.#value;
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }
}
