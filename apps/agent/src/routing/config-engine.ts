import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FileOwner, readFileIfThere, writeFileAtomically } from '@flotilla/kit';
import type { ConfigLine } from '@flotilla/proto/routing';
import { diffLines, type LineChange, parseConfig, pickObjects, toAdditions, toRemovals } from './config-text.ts';
import { RoutingError, type Vtysh } from './vtysh.ts';

export interface ConfigEngineOptions {
  readonly vtysh: Vtysh;
  /** Folder of the agent for the files that FRR's shell reads. */
  readonly dir: string;
  /** The file that FRR reads when it starts. */
  readonly configFile: string;
  /** Runs after each step of a change. Tests kill the agent in it. */
  readonly onStep?: ((step: string) => Promise<void> | void) | undefined;
}

/** A removal can take other lines with it, which the next round adds again. */
const ROUNDS_MAX = 3;
const CONFIG_MODE = 0o640;

/** Brings FRR's configuration to given lines. It changes no other lines. */
export class ConfigEngine {
  readonly #options: ConfigEngineOptions;

  constructor(options: ConfigEngineOptions) {
    this.#options = options;
  }

  async read(): Promise<ConfigLine[]> {
    return parseConfig(await this.#options.vtysh.readConfig());
  }

  async step(name: string): Promise<void> {
    await this.#options.onStep?.(name);
  }

  /** Returns what still differs. Nothing does if the change has succeeded. */
  async bring(objects: ReadonlySet<string>, target: readonly ConfigLine[]): Promise<LineChange[]> {
    let left = await this.#compare(objects, target);
    for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
      await this.#removeOtherProcess(left);
      const added = left.filter(({ kind }) => kind === 'add').map(({ line }) => line);
      await this.#run(toAdditions(added), 'added');
      const removed = (await this.#compare(objects, target)).filter(({ kind }) => kind === 'remove');
      await this.#run(toRemovals(removed.map(({ line }) => line)), 'removed');
      left = await this.#compare(objects, target);
    }
    return left;
  }

  /** Makes changes that take nothing else with them. */
  async run(changes: readonly LineChange[]): Promise<void> {
    const linesOf = (wanted: LineChange['kind']) =>
      changes.filter(({ kind }) => kind === wanted).map(({ line }) => line);
    await this.#run(toRemovals(linesOf('remove')) + toAdditions(linesOf('add')), 'routes');
  }

  /** FRR accepts a process with another AS only after the old one is gone. */
  async #removeOtherProcess(changes: readonly LineChange[]): Promise<void> {
    const isProcess = ({ line }: LineChange) => line.length === 1 && line[0]?.startsWith('router bgp ') === true;
    const removed = changes.filter((one) => one.kind === 'remove' && isProcess(one)).map(({ line }) => line);
    await this.#run(toRemovals(removed), 'process removed');
  }

  async #compare(objects: ReadonlySet<string>, target: readonly ConfigLine[]): Promise<LineChange[]> {
    return diffLines(pickObjects(await this.read(), objects), target);
  }

  async #run(commands: string, step: string): Promise<void> {
    if (commands === '') return;
    const path = join(this.#options.dir, 'commands.conf');
    await writeFileAtomically(path, commands);
    await this.step(`${step}: written`);
    await this.#options.vtysh.runFile(path);
    await rm(path, { force: true });
    await this.step(step);
  }

  /** Writes the configuration in force, without some lines, to the file that FRR reads when it starts. */
  async persist(isLeftOut: (line: string) => boolean): Promise<void> {
    const { configFile, vtysh } = this.#options;
    const text = await vtysh.readConfig();
    const kept = text.split('\n').filter((line) => !isLeftOut(line.trim()));
    const known = await stat(configFile).catch(() => undefined);
    const owner: FileOwner = known ?? (await stat(dirname(configFile)));
    await writeFileAtomically(configFile, kept.join('\n'), {
      mode: known ? known.mode & 0o777 : CONFIG_MODE,
      owner: { uid: owner.uid, gid: owner.gid },
    });
    await this.step('persisted');
  }

  /** FRR must read one file for all daemons when it starts, and the defaults that documents assume. */
  async requireSupported(running: readonly ConfigLine[]): Promise<void> {
    const path = join(dirname(this.#options.configFile), 'vtysh.conf');
    const settings = (await readFileIfThere(path))?.toString('utf8').split('\n') ?? [];
    if (settings.some((line) => line.trim() === 'no service integrated-vtysh-config')) {
      throw new RoutingError(
        'routing.split_config',
        `FRR reads one file per daemon; set "service integrated-vtysh-config" in ${path}`,
      );
    }
    const [profile] = running.find(([line]) => line?.startsWith('frr defaults ') === true) ?? [];
    if (profile === undefined || profile === 'frr defaults traditional') return;
    throw new RoutingError(
      'routing.profile',
      `FRR runs with "${profile}"; only "frr defaults traditional" is supported`,
    );
  }
}
