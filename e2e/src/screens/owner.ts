import { randomUUID } from 'node:crypto';
import {
  ApiClient,
  ApiError,
  type CallInput,
  type CallOutput,
  profileRoutes,
  type Role,
  type RouteContract,
  sessionRoutes,
  userRoutes,
} from '@flotilla/contract';
import { vi } from 'vitest';
import type { Stage } from './stage.ts';

/** An access token is valid for 15 minutes. A shared stage may be open for longer. */
const SIGN_IN_AFTER_MS = 10 * 60_000;

/** The API with the rights of the owner of the installation. */
export class Owner {
  readonly project: string;
  readonly #stage: Stage;
  #client: ApiClient | undefined;
  #signedInAt = 0;

  private constructor(stage: Stage, project: string) {
    this.#stage = stage;
    this.project = project;
  }

  static async of(stage: Stage): Promise<Owner> {
    return new Owner(stage, (await stage.fleet.state()).project);
  }

  async call<R extends RouteContract>(route: R, input: CallInput<R>): Promise<CallOutput<R>> {
    return (await (await this.#signIn()).call(route, input)).body;
  }

  async #signIn(): Promise<ApiClient> {
    if (this.#client && performance.now() - this.#signedInAt < SIGN_IN_AFTER_MS) return this.#client;
    this.#client = await signIn(this.#stage.url, await this.#stage.admin());
    this.#signedInAt = performance.now();
    return this.#client;
  }

  /** Adds a member with a name that no earlier attempt of the test has used. */
  addMember(role: Role) {
    return this.addUser(`${role}-${randomUUID().slice(0, 8)}`, role);
  }

  /** Adds a member to the project, with a password of their own, ready to sign in. */
  async addUser(
    username: string,
    role: Role,
    email?: string,
  ): Promise<{ id: string; username: string; password: string }> {
    const [first, password] = ['handed over at the door', 'rowing a boat at dawn'];
    const memberships = [{ project: this.project, role }];
    const { id } = await this.call(userRoutes.create, {
      query: {},
      body: { username, password: first, memberships, ...(email && { email }) },
    });
    const own = await signIn(this.#stage.url, { username, password: first });
    await own.call(profileRoutes.changePassword, {
      query: {},
      body: { current_password: first, new_password: password },
    });
    await own.call(sessionRoutes.logout, {});
    return { id, username, password };
  }
}

/** Signs in. All sign-ins of a test come from one address, which may have to wait for its turn. */
async function signIn(url: string, body: { username: string; password: string }): Promise<ApiClient> {
  const client = new ApiClient({ baseUrl: url });
  const answer = await vi.waitFor(
    async () =>
      client.call(sessionRoutes.login, { body }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 429) throw error;
        return { error };
      }),
    { interval: 1000 },
  );
  if ('error' in answer) throw answer.error;
  return new ApiClient({ baseUrl: url, token: () => answer.body.access_token });
}
