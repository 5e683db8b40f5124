import { fail, snapshotRoutes } from '@flotilla/contract';
import type { EnvoyApi, JsonObject, JsonValue } from '@flotilla/envoy-api';
import { parseNodeId } from '@flotilla/proto';
import type { TranslatedResource } from '@flotilla/translate';
import { implement, type Route } from '../../http/route.ts';
import { findReach, readerOf } from '../permissions/index.ts';
import type { EnvoyApis } from '../proxy-versions/index.ts';
import { nodeIdOf } from './node-input.ts';
import { hidePrivate } from './redaction.ts';
import type { SnapshotService } from './service.ts';

export function createSnapshotRoutes(deps: { snapshots: SnapshotService; envoyApis: EnvoyApis }): Route[] {
  const { snapshots, envoyApis } = deps;
  return [
    implement(
      snapshotRoutes.getNodeSnapshot,
      async (ctx, { params, query }) => {
        if (query.project !== undefined && query.project.toLowerCase() !== ctx.project.id)
          throw unknownNode(params.nodeID);
        const node = await snapshots.findNode(params.nodeID);
        if (!node || node.projectId !== ctx.project.id) throw unknownNode(params.nodeID);
        const reader = readerOf(ctx);
        // Of a service that one may see, everything that it runs is shown.
        const kind = { kind: 'service', key: { id: node.serviceId }, level: 'view' } as const;
        if (reader && !(await findReach(ctx.db, reader, kind))) throw unknownNode(params.nodeID);
        const { translation, snapshot } = await snapshots.previewNode(node);
        const api = await envoyApis.get(node.version);
        const versions = new Map(
          [...snapshot.resources.values()].map((one) => [`${one.typeUrl} ${one.name}`, one.version]),
        );
        return {
          body: {
            node_id: nodeIdOf(node),
            version: node.version,
            snapshot_version: snapshot.version,
            resources: translation.resources.map((resource) => ({
              type: resource.type,
              name: resource.name,
              version: versions.get(`${resource.typeUrl} ${resource.name}`) ?? '',
              resource: show(api, resource),
              depends_on: resource.dependsOn.map(({ typeUrl, name }) => `${typeUrl.split('/').at(-1)}/${name}`),
            })),
            bootstrap: hidePrivate(api, 'envoy.config.bootstrap.v3.Bootstrap', translation.bootstrap),
            errors: translation.errors,
            guards: translation.guards.map(({ document, path, reasons, unaskedHosts, unaskedRoutes }) => ({
              document,
              path,
              reasons: [...reasons],
              unasked_hosts: unaskedHosts,
              unasked_routes: unaskedRoutes,
            })),
          },
        };
      },
      // Who may see it follows from the node's own name; whether there is such a node is looked up afterwards.
      { locateProject: async (_db, params) => parseNodeId(params.nodeID ?? '')?.project },
    ),
  ];
}

function unknownNode(name: string): Error {
  return fail('record.not_found', { kind: 'node', name });
}

function show(api: EnvoyApi, { type, bytes }: TranslatedResource): JsonValue {
  return hidePrivate(api, type, api.decode(type, bytes) as JsonObject);
}
