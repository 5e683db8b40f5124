import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { createResource, type NodePlan, RESOURCE_TYPE, type Snapshot, toResourceKey } from '@flotilla/xds';

/**
 * Adds the plan, a resource that names all others, so that an agent knows when it has the complete set. Version and
 * dependencies stay those of the snapshot.
 */
export function planSnapshot(nodeId: string, snapshot: Snapshot): Snapshot {
  const entries = [...snapshot.resources].sort(([a], [b]) => (a < b ? -1 : 1));
  const plan = create(fleet.NodePlanSchema, {
    snapshotVersion: snapshot.version,
    resources: entries.map(([key, { typeUrl, name, version }]) => ({
      typeUrl,
      name,
      version,
      dependsOn: [...(snapshot.dependencies.get(key) ?? [])],
    })),
  });
  const ref = { typeUrl: RESOURCE_TYPE.nodePlan, name: nodeId };
  const resource = createResource(ref, toBinary(fleet.NodePlanSchema, plan));
  return { ...snapshot, resources: new Map([...snapshot.resources, [toResourceKey(ref), resource]]) };
}

export function parseNodePlan(bytes: Uint8Array): Result<NodePlan, string> {
  try {
    const plan = fromBinary(fleet.NodePlanSchema, bytes);
    if (plan.snapshotVersion === '') return err('names no snapshot version');
    const resources = plan.resources.map(({ typeUrl, name, version, dependsOn }) => ({
      typeUrl,
      name,
      version,
      dependsOn: dependsOn.map((ref) => ({ typeUrl: ref.typeUrl, name: ref.name })),
    }));
    return ok({ snapshotVersion: plan.snapshotVersion, resources });
  } catch (error) {
    return err(toErrorMessage(error));
  }
}
