import {
  ApiClient,
  ApiError,
  type CallAnswer,
  type CallInput,
  type CallOutput,
  type RouteContract,
  sessionRoutes,
} from '@flotilla/contract';
import type { ProgramIo } from '../programs.ts';
import { AnswerWait } from './answer-wait.ts';
import { CliFailure, EXIT, toFailure } from './exit-codes.ts';
import { DEFAULT_URL, readSettings, type Settings, writeSettings } from './settings.ts';

export interface ConnectOptions {
  /** Default: SVC_URL, then the controller of the session, then this machine. */
  readonly url?: string | undefined;
  readonly timeoutMs?: number;
}

/** Longer than the longest wait for commands. */
const TIMEOUT_MS = 200_000;
/** An access token that expires within this time is renewed before a request. */
const RENEW_BEFORE_MS = 30_000;

/** Calls one controller with the session or SVC_TOKEN. Renews the access token when necessary. */
export class Connection {
  readonly url: string;
  readonly settings: Settings;
  readonly #io: ProgramIo;
  readonly #timeoutMs: number;
  /** True if SVC_TOKEN is used instead of a session. */
  readonly isGiven: boolean;
  #accessToken: string | undefined;
  #expiresMs = Number.POSITIVE_INFINITY;

  private constructor(io: ProgramIo, settings: Settings, options: { url: string; timeoutMs: number }) {
    this.#io = io;
    this.url = options.url;
    this.settings = settings;
    this.#timeoutMs = options.timeoutMs;
    const { session } = settings;
    const given = readGivenToken(io.env);
    this.isGiven = given !== undefined;
    if (this.isGiven) this.#accessToken = given;
    // Tokens are sent only to the controller that issued them.
    else if (session && settings.url === this.url) {
      this.#accessToken = session.access_token;
      this.#expiresMs = Date.parse(session.expires_at);
    }
  }

  static async open(io: ProgramIo, options: ConnectOptions = {}): Promise<Connection> {
    const settings = await readSettings(io.env);
    const url = normalizeUrl(options.url ?? (io.env.SVC_URL || settings.url) ?? DEFAULT_URL);
    return new Connection(io, settings, { url, timeoutMs: options.timeoutMs ?? TIMEOUT_MS });
  }

  get isSignedIn(): boolean {
    return this.#accessToken !== undefined;
  }

  /** Throws `ApiError` for refusals and `CliFailure` if the controller does not respond. */
  call<R extends RouteContract>(route: R, input: CallInput<R>): Promise<CallAnswer<CallOutput<R>>> {
    return this.#signedIn(route, (api) => api.call(route, input));
  }

  /** For responses that are not JSON. Returns before the body is read. */
  open<R extends RouteContract>(route: R, input: CallInput<R>): Promise<Response> {
    return this.#signedIn(route, (api) => api.open(route, input));
  }

  async #signedIn<T>(route: RouteContract, send: (api: ApiClient) => Promise<T>): Promise<T> {
    if (!this.isSignedIn && route.access.kind !== 'public') {
      throw new CliFailure(
        EXIT.forbidden,
        `You are not signed in at ${this.url}. Run: flotilla login --url ${this.url}`,
      );
    }
    const ask = () => this.#ask(() => this.#token(), send);
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401 && this.isGiven) {
        const { exitCode, message, lines } = toFailure(error);
        throw new CliFailure(exitCode, message, [...lines, '  SVC_TOKEN is set and used instead of a session.']);
      }
      const hasExpired = error instanceof ApiError && error.body.code === 'auth.expired' && !this.isGiven;
      if (!hasExpired) throw this.#explain(error);
      // The token expired early because our clock is behind that of the controller. Renews it and tries again.
      this.#expiresMs = 0;
      return await ask().catch((again: unknown) => {
        throw this.#explain(again);
      });
    }
  }

  async #ask<T>(
    token: () => string | undefined | Promise<string | undefined>,
    send: (api: ApiClient) => Promise<T>,
  ): Promise<T> {
    const wait = new AnswerWait(this.#io.signal, this.#timeoutMs);
    try {
      return await send(new ApiClient({ baseUrl: this.url, fetch: wait.fetch, token }));
    } finally {
      wait.end();
    }
  }

  /** Calls a route without credentials, to sign in. */
  async callPublic<R extends RouteContract>(route: R, input: CallInput<R>): Promise<CallAnswer<CallOutput<R>>> {
    const none = () => undefined;
    return this.#ask(none, (api) => api.call(route, input)).catch((error: unknown) => {
      throw this.#explain(error);
    });
  }

  async #token(): Promise<string | undefined> {
    if (Date.now() > this.#expiresMs - RENEW_BEFORE_MS) await this.#renew();
    return this.#accessToken;
  }

  async #renew(): Promise<void> {
    const { session } = this.settings;
    if (!session) return;
    const refreshToken = () => session.refresh_token;
    const { body } = await this.#ask(refreshToken, (api) => api.call(sessionRoutes.refresh, {})).catch((error) => {
      if (error instanceof ApiError && error.status === 401) {
        throw new CliFailure(EXIT.forbidden, `Your session at ${this.url} has ended. Run: flotilla login`);
      }
      throw error;
    });
    this.#accessToken = body.access_token;
    this.#expiresMs = Date.parse(body.expires_at);
    const renewed = { ...session, access_token: body.access_token, expires_at: body.expires_at };
    await writeSettings(this.#io.env, { ...this.settings, session: renewed });
  }

  #explain(error: unknown): unknown {
    if (error instanceof ApiError || error instanceof CliFailure) return error;
    if (this.#io.signal.aborted) return new CliFailure(EXIT.failed, 'Interrupted.');
    if (error instanceof SyntaxError) {
      return new CliFailure(EXIT.unreachable, `The server at ${this.url} is not a Flotilla controller.`);
    }
    const { name, message, cause } = error as Error;
    const reason = name === 'TimeoutError' ? 'it does not answer' : describeCause(cause) || message;
    return new CliFailure(
      EXIT.unreachable,
      `The controller at ${this.url} cannot be reached: ${reason}. Check that it runs, and the address: --url or SVC_URL`,
    );
  }
}

/**
 * Reads `SVC_TOKEN`. Removes the line break that a file often has at its end; a blank value counts as no token. The error does not
 * contain the token, because it is a secret.
 */
function readGivenToken(env: NodeJS.ProcessEnv): string | undefined {
  const token = env.SVC_TOKEN?.trim();
  if (token && !/^[\x21-\x7e]+$/.test(token)) {
    throw new CliFailure(
      EXIT.usage,
      'SVC_TOKEN is not a token: it contains spaces, line breaks or other invalid characters.',
    );
  }
  return token || undefined;
}

function describeCause(cause: unknown): string {
  const { code, message } = (cause ?? {}) as { code?: string; message?: string };
  return code === 'ECONNREFUSED' ? 'nothing listens there' : (message ?? code ?? '');
}

function normalizeUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    throw new CliFailure(EXIT.usage, `"${text}" is not an address such as ${DEFAULT_URL}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new CliFailure(EXIT.usage, `"${text}" is not an http or https address`);
  }
  if (url.username || url.password) {
    throw new CliFailure(
      EXIT.usage,
      'Leave the user name and password out of the address; flotilla login asks for them',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Whether others on the network can read the traffic. */
export function isClearText(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
