import { GENERAL_SETTINGS } from '@flotilla/contract';
import type { Closable } from '@flotilla/kit';
import type { Settings } from './service.ts';

/** The current name of the installation. A change applies everywhere within a second. */
export class InstallationName implements Closable {
  #value = GENERAL_SETTINGS.schema.parse({}).name;
  #watch: Closable | undefined;

  static async open(settings: Pick<Settings, 'watch'>): Promise<InstallationName> {
    const name = new InstallationName();
    name.#watch = await settings.watch(GENERAL_SETTINGS, ({ name: value }) => {
      name.#value = value;
    });
    return name;
  }

  get value(): string {
    return this.#value;
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }
}
