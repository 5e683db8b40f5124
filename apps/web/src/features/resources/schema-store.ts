import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { call, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import type {
  CandidateQuery,
  Candidates,
  ExtensionChoice,
  MessageDescription,
  SchemaSource,
} from '../../forms/index.ts';

/** Messages by version and type. The schema of a version never changes while a page is open. */
const KNOWN = new Map<string, Map<string, MessageDescription>>();
const CANDIDATES_FRESH_MS = 10_000;
/** Maximum number of candidates in one API request. */
const CANDIDATES_ASKED = 200;

/** The messages of one Envoy version, as the controller describes them: loaded on demand, then cached. */
class ControllerSchema implements SchemaSource {
  readonly #client: QueryClient;
  readonly #project: string;
  readonly #version: string;
  readonly #known: Map<string, MessageDescription>;

  constructor(client: QueryClient, project: string, version: string) {
    this.#client = client;
    this.#project = project;
    this.#version = version;
    const known = KNOWN.get(version) ?? new Map<string, MessageDescription>();
    KNOWN.set(version, known);
    this.#known = known;
  }

  peek(type: string): MessageDescription | undefined {
    return this.#known.get(type);
  }

  async load(type: string): Promise<MessageDescription | undefined> {
    const present = this.#known.get(type);
    if (present) return present;
    const messages = await this.#client.fetchQuery({
      queryKey: ['schema', this.#version, type],
      queryFn: async () => {
        const { body } = await call(routes.schema.messages, { query: { version: this.#version, type } });
        return body.messages;
      },
      staleTime: Number.POSITIVE_INFINITY,
    });
    for (const [name, message] of Object.entries(messages)) if (!this.#known.has(name)) this.#known.set(name, message);
    return this.#known.get(type);
  }

  async extensions(slot: string | undefined): Promise<readonly ExtensionChoice[]> {
    const query = { version: this.#version, ...(slot !== undefined && { slot }) };
    return this.#client.fetchQuery({
      queryKey: ['extensions', query],
      queryFn: async () => (await call(routes.schema.extensions, { query })).body.items,
      staleTime: Number.POSITIVE_INFINITY,
    });
  }

  async candidates(asked: CandidateQuery): Promise<Candidates> {
    const query = { project: this.#project, version: this.#version, limit: CANDIDATES_ASKED, ...asked };
    return this.#client.fetchQuery({
      queryKey: [routes.schema.candidates.id, query],
      queryFn: async () => (await call(routes.schema.candidates, { query: query as never })).body,
      staleTime: CANDIDATES_FRESH_MS,
    });
  }
}

export function useSchema(version: string): SchemaSource {
  const openSchema = useSchemas();
  return useMemo(() => openSchema(version), [openSchema, version]);
}

/** Returns the schema of each version, for components that show documents of several versions. */
export function useSchemas(): (version: string) => SchemaSource {
  const client = useQueryClient();
  const { id } = useProject();
  return useCallback((version) => new ControllerSchema(client, id, version), [client, id]);
}
