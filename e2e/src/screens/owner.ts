import {
  ApiClient,
  type CallInput,
  type CallOutput,
  type Role,
  type RouteContract,
  userRoutes,
} from '@flotilla/contract';
import type { Stage } from './stage.ts';

/** The API as the owner of the installation uses it, who may do everything. */
export class Owner {
  readonly project: string;
  readonly #client: ApiClient;

  private constructor(client: ApiClient, project: string) {
    this.#client = client;
    this.project = project;
  }

  static async of(stage: Stage): Promise<Owner> {
    const answer = await fetch(`${stage.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(await stage.admin()),
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    const client = new ApiClient({ baseUrl: stage.url, token: () => access_token });
    return new Owner(client, (await stage.fleet.state()).project);
  }

  async call<R extends RouteContract>(route: R, input: CallInput<R>): Promise<CallOutput<R>> {
    return (await this.#client.call(route, input)).body;
  }

  /** A member of the project, ready to sign in. */
  async addUser(
    username: string,
    role: Role,
    email?: string,
  ): Promise<{ id: string; username: string; password: string }> {
    const password = 'rowing a boat at dawn';
    const memberships = [{ project: this.project, role }];
    const { id } = await this.call(userRoutes.create, {
      query: {},
      body: { username, password, memberships, ...(email && { email }) },
    });
    return { id, username, password };
  }
}
