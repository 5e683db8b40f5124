import { type EnvoyApi, listExtensions, loadEnvoyApi } from '@flotilla/envoy-api';
import { describeMessages } from '../../../../controller/src/modules/configuration/schema/messages.ts';
import type { Candidate, MessageDescription, SchemaSource } from '../../forms/schema-source.ts';

/** Returns the schema as the controller serves it, from the packaged set. It is empty until it is loaded. */
export async function createEnvoySource(
  stored: readonly Candidate[] = [],
): Promise<SchemaSource & { readonly api: EnvoyApi }> {
  const api = await loadEnvoyApi({ version: '1.39.3' });
  const known = new Map<string, MessageDescription>();
  return {
    api,
    peek: (type) => known.get(type),
    load: async (type) => {
      if (!api.hasMessage(type)) return undefined;
      const message = describeMessages(api, type, 0).body.messages[type];
      if (message) known.set(type, message);
      return message;
    },
    extensions: async (slot) =>
      listExtensions(api, slot ?? '*').map(({ docsUrl, ...extension }) => ({ ...extension, docs_url: docsUrl })),
    candidates: async ({ collection }) => ({
      items: stored.filter((each) => collection === undefined || collection === each.collection),
      truncated: false,
    }),
  };
}
