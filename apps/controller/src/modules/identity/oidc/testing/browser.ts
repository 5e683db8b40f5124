import type { FastifyInstance } from 'fastify';

/** The cookies of one host. */
type Jar = Map<string, string>;

interface Landing {
  readonly location: string;
  /** From the answer that redirected the browser. */
  readonly setCookies: readonly string[];
}

/** A browser that follows redirects between the controller and a provider, with separate cookies for each. */
export class TestBrowser {
  readonly #app: FastifyInstance;
  readonly #own: Jar = new Map();
  readonly #provider: Jar = new Map();

  constructor(app: FastifyInstance) {
    this.#app = app;
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#own;
  }

  /** Copies the cookies of another browser, as a thief or another subdomain would. */
  steal(from: TestBrowser): void {
    for (const [name, value] of from.cookies) this.#own.set(name, value);
  }

  /** Sends one request to the controller. */
  async open(url: string, headers: Record<string, string> = {}): Promise<Landing & { status: number; body: string }> {
    const path = url.startsWith('/') ? url : `${new URL(url).pathname}${new URL(url).search}`;
    const response = await this.#app.inject({ url: path, headers: { cookie: toHeader(this.#own), ...headers } });
    const setCookies = [response.headers['set-cookie'] ?? []].flat();
    take(this.#own, setCookies);
    return {
      status: response.statusCode,
      location: String(response.headers.location ?? ''),
      setCookies,
      body: response.body,
    };
  }

  /** Posts from the page that the browser has open. */
  async post(
    url: string,
    payload: object,
    headers: Record<string, string>,
  ): Promise<{ status: number; body: unknown }> {
    const cookie = toHeader(this.#own);
    const response = await this.#app.inject({ method: 'POST', url, payload, headers: { cookie, ...headers } });
    return { status: response.statusCode, body: response.json() };
  }

  /** Signs in on the provider's page and returns the callback address. */
  async signInAt(location: string): Promise<string> {
    let at = location;
    for (let i = 0; i < 10; i += 1) {
      const response = await fetch(at, { redirect: 'manual', headers: { cookie: toHeader(this.#provider) } });
      take(this.#provider, response.headers.getSetCookie());
      const next = response.headers.get('location');
      if (next === null) throw new Error(`the provider stays at ${at}: ${await response.text()}`);
      const url = new URL(next, at);
      if (url.origin !== new URL(location).origin) return url.href;
      at = url.href;
    }
    throw new Error('the provider goes round in circles');
  }

  /** Signs in completely and returns the final redirect. */
  async signIn(provider: string, returnTo = '/'): Promise<Landing & { callback: string }> {
    const begun = await this.open(`/auth/oidc/${provider}/start?return_to=${encodeURIComponent(returnTo)}`);
    const callback = await this.signInAt(begun.location);
    return { ...(await this.open(callback)), callback };
  }
}

function toHeader(jar: Jar): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

function take(jar: Jar, cookies: readonly string[]): void {
  for (const cookie of cookies) {
    const [pair = ''] = cookie.split(';', 1);
    const at = pair.indexOf('=');
    if (/max-age=0(?:;|$)/i.test(cookie) || pair.length === at + 1) jar.delete(pair.slice(0, at));
    else jar.set(pair.slice(0, at), pair.slice(at + 1));
  }
}
