import { failSignIn, LDAP_SETTINGS, type LdapSettings, type SettingTrial } from '@flotilla/contract';
import { type Clock, type Logger, Turns } from '@flotilla/kit';
import type { Settings } from '../../../platform/settings/index.ts';
import { askServer, type GivenPassword, type LdapAnswer } from './directory.ts';
import { LdapFailure, type LdapStep } from './failure.ts';
import { lookFor } from './look-for.ts';
import type { LdapServer } from './socket.ts';

/** A server that did not answer is tried last for this time. */
const LEFT_OUT_MS = 30_000;
/**
 * Concurrent sign-ins of this controller at a directory; if more than WAITING_MAX wait, further ones fail as
 * unavailable.
 */
const AT_ONCE = 32;
const WAITING_MAX = 256;

interface Deps {
  readonly settings: Pick<Settings, 'addTest' | 'getAcceptable'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Steps = SettingTrial['steps'];

/** The directory of the installation: several servers with the same content. */
export class LdapDirectory {
  readonly #settings: Deps['settings'];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #leftOut = new Map<string, number>();
  readonly #turns = new Turns({ atOnce: AT_ONCE, waiting: WAITING_MAX });

  constructor({ settings, clock, logger }: Deps) {
    this.#settings = settings;
    this.#clock = clock;
    this.#logger = logger;
    settings.addTest(LDAP_SETTINGS, (value) => tryServers(value));
  }

  /** undefined if it is disabled, or if the stored settings are refused. */
  async configuration(): Promise<LdapSettings | undefined> {
    const { value } = await this.#settings.getAcceptable(LDAP_SETTINGS);
    return value.enabled ? value : undefined;
  }

  /** Whether it is off only because the stored settings are refused. */
  async isRefused(): Promise<boolean> {
    const { refused, stored } = await this.#settings.getAcceptable(LDAP_SETTINGS);
    return refused.length > 0 && stored.enabled === true;
  }

  /**
   * Asks the first server that answers. `deadline_ms` covers everything: the queue, every server and every step. Throws
   * sign_in.directory_unavailable.
   */
  async ask(settings: LdapSettings, given: GivenPassword): Promise<LdapAnswer> {
    const signal = AbortSignal.timeout(settings.deadline_ms);
    if (!(await this.#turns.take(signal))) throw failSignIn('sign_in.directory_unavailable');
    try {
      const answer = await this.#byFirst(settings, signal, (server) => askServer(settings, server, { given, signal }));
      if (!answer) throw failSignIn('sign_in.directory_unavailable');
      return answer;
    } finally {
      this.#turns.give();
    }
  }

  /**
   * Returns which of these people exist and may sign in, with their groups (see lookFor). undefined if no server
   * answers.
   */
  async lookFor(
    settings: LdapSettings,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, readonly string[]> | undefined> {
    return this.#byFirst(settings, signal, (server) => lookFor(settings, server, { ids, signal }));
  }

  async #byFirst<T>(
    { servers }: LdapSettings,
    signal: AbortSignal,
    work: (server: LdapServer) => Promise<T>,
  ): Promise<T | undefined> {
    for (const server of this.#inOrder(servers)) {
      if (signal.aborted) return undefined;
      try {
        const answer = await work(server);
        this.#leftOut.delete(server.url);
        return answer;
      } catch (error) {
        if (!(error instanceof LdapFailure)) throw error;
        this.#leftOut.set(server.url, this.#clock.monotonic() + LEFT_OUT_MS);
        this.#logger.warn({ server: server.url, step: error.step, reason: error.message }, 'ldap.failed');
      }
    }
    return undefined;
  }

  #inOrder(servers: readonly LdapServer[]): LdapServer[] {
    const now = this.#clock.monotonic();
    const isLeftOut = ({ url }: LdapServer) => (this.#leftOut.get(url) ?? 0) > now;
    return [...servers.filter((server) => !isLeftOut(server)), ...servers.filter(isLeftOut)];
  }
}

/** Tests every server up to the bind of the searching account. */
async function tryServers(settings: LdapSettings): Promise<Steps> {
  if (settings.servers.length === 0) return [{ name: 'connect', ok: false, message: 'there is no server' }];
  const tried = await Promise.all(settings.servers.map((server) => traceServer(settings, server, undefined)));
  return tried.flatMap(({ steps }) => steps);
}

export interface TracedSignIn {
  readonly steps: Steps;
  readonly answer: LdapAnswer | undefined;
}

/** Tests a sign-in at the first server step by step. Opens no session and creates no account. */
export async function trySignIn(settings: LdapSettings, given: GivenPassword): Promise<TracedSignIn> {
  const [server] = settings.servers;
  if (!server) return { steps: [{ name: 'connect', ok: false, message: 'there is no server' }], answer: undefined };
  const { steps, answer } = await traceServer(settings, server, given);
  if (answer === undefined || answer.kind === 'person') return { steps, answer };
  const [step, message] = REFUSALS[answer.kind];
  return { steps: [...steps, { name: nameOf(step, server), ok: false, message }], answer };
}

const REFUSALS = {
  unknown: ['search', 'nobody is called so'],
  ambiguous: ['search', 'several entries are called so'],
  wrong_password: ['password', 'the password is not the one'],
  off: ['password', 'the account is switched off or over in the directory'],
} as const satisfies Record<Exclude<LdapAnswer['kind'], 'person'>, readonly [LdapStep, string]>;

async function traceServer(
  settings: LdapSettings,
  server: LdapServer,
  given: GivenPassword | undefined,
): Promise<TracedSignIn> {
  const steps: Steps = [];
  const onStep = (step: LdapStep) => steps.push({ name: nameOf(step, server), ok: true, message: null });
  try {
    const signal = AbortSignal.timeout(settings.deadline_ms);
    return { answer: await askServer(settings, server, { given, onStep, signal }), steps };
  } catch (error) {
    if (!(error instanceof LdapFailure)) throw error;
    steps.push({ name: nameOf(error.step, server), ok: false, message: error.message });
    return { steps, answer: undefined };
  }
}

function nameOf(step: LdapStep, { url }: LdapServer): string {
  return `${step} ${url}`;
}
