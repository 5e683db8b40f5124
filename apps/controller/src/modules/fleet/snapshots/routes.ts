import { fail, snapshotRoutes } from '@flotilla/contract';
import { spendLight } from '@flotilla/db';
import type { EnvoyApi, JsonObject, JsonValue } from '@flotilla/envoy-api';
import { parseNodeId } from '@flotilla/proto';
import type { TranslatedResource } from '@flotilla/translate';
import { findReach, readerOf } from '../../../platform/auth/index.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { EnvoyApis } from '../../configuration/public.ts';
import { nodeIdOf } from './node-input.ts';
import { hidePrivate } from './redaction.ts';
import type { SnapshotService } from './service.ts';
import { TimeSlices } from './time-slices.ts';

/** Approximate characters of JSON per byte of a resource. */
const SHOWN_PER_BYTE = 3;

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
        // A caller who may see a service sees everything that it runs.
        const kind = { kind: 'service', key: { id: node.serviceId }, level: 'view' } as const;
        if (reader && !(await findReach(ctx.db, reader, kind))) throw unknownNode(params.nodeID);
        const { translation, snapshot } = await snapshots.previewNode(node);
        for (const { bytes } of translation.resources) spendLight(bytes.length * SHOWN_PER_BYTE);
        const api = await envoyApis.get(node.version);
        const versions = new Map(
          [...snapshot.resources.values()].map((one) => [`${one.typeUrl} ${one.name}`, one.version]),
        );
        // A node may use hundreds of documents: lets other requests run in between.
        const slices = new TimeSlices();
        const resources: object[] = [];
        for (const resource of translation.resources) {
          resources.push({
            type: resource.type,
            name: resource.name,
            version: versions.get(`${resource.typeUrl} ${resource.name}`) ?? '',
            resource: show(api, resource),
            depends_on: resource.dependsOn.map(({ typeUrl, name }) => `${typeUrl.split('/').at(-1)}/${name}`),
          });
          await slices.pause();
        }
        return {
          body: {
            node_id: nodeIdOf(node),
            version: node.version,
            snapshot_version: snapshot.version,
            resources,
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
      // The project follows from the node's name; its existence is checked later.
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
