import { create } from '@bufbuild/protobuf';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { preventsDelivery } from '@flotilla/translate';
import type { PolicyBundle } from '../configuration/public.ts';
import type { ContentProblem, NodeContents } from './agents/index.ts';
import type { SnapshotService } from './snapshots/index.ts';

/**
 * Builds bootstraps and policy bundles of nodes from the configuration module, whose errors become problems of the
 * node.
 */
export function createNodeContents(deps: {
  readonly snapshots: Pick<SnapshotService, 'previewNode'>;
  readonly policyBundleFor: (node: {
    projectId: string;
    policies: readonly string[];
  }) => Promise<PolicyBundle | undefined>;
}): NodeContents {
  return {
    bootstrapFor: (node) =>
      attempt({ resourceType: 'envoy.config.bootstrap.v3.Bootstrap', resourceName: node.bootstrap }, async () => {
        const { translation } = await deps.snapshots.previewNode(node);
        const broken = translation.errors.filter(
          (error) => error.document.startsWith('bootstrap/') && preventsDelivery(error),
        );
        if (broken.length > 0) {
          return err(
            broken.map(({ document, path, message }) => ({
              resourceType: 'envoy.config.bootstrap.v3.Bootstrap',
              resourceName: document.slice('bootstrap/'.length),
              message: path ? `${path}: ${message}` : message,
            })),
          );
        }
        const bootstrapJson = Buffer.from(JSON.stringify(translation.bootstrap));
        return ok({ bootstrapJson, listenerPorts: translation.listenerPorts });
      }),
    policyBundleFor: (node) =>
      attempt({ resourceType: 'policy', resourceName: node.policies.join(', ') }, async () => {
        const bundle = await deps.policyBundleFor(node);
        if (!bundle) return ok(undefined);
        return ok(
          create(fleet.PolicyBundleSchema, {
            digest: bundle.digest,
            files: bundle.files.map((file) => create(fleet.PolicyFileSchema, file)),
          }),
        );
      }),
  };
}

async function attempt<T>(
  subject: { readonly resourceType: string; readonly resourceName: string },
  make: () => Promise<Result<T, readonly ContentProblem[]>>,
): Promise<Result<T, readonly ContentProblem[]>> {
  try {
    return await make();
  } catch (error) {
    return err([{ ...subject, message: toErrorMessage(error) }]);
  }
}
