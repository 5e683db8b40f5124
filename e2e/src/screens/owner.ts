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

/** The API with the rights of the owner of the installation. */
export class Owner {
  readonly project: string;
  readonly #url: string;
  readonly #client: ApiClient;

  private constructor(url: string, client: ApiClient, project: string) {
    this.#url = url;
    this.#client = client;
    this.project = project;
  }

  static async of(stage: Stage): Promise<Owner> {
    const client = await signIn(stage.url, await stage.admin());
    return new Owner(stage.url, client, (await stage.fleet.state()).project);
  }

  async call<R extends RouteContract>(route: R, input: CallInput<R>): Promise<CallOutput<R>> {
    return (await this.#client.call(route, input)).body;
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
    const own = await signIn(this.#url, { username, password: first });
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
    { timeout: 60_000, interval: 1000 },
  );
  if ('error' in answer) throw answer.error;
  return new ApiClient({ baseUrl: url, token: () => answer.body.access_token });
}
