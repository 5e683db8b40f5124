import { failEnrolment } from '@flotilla/contract';
import { AppError, type Logger } from '@flotilla/kit';
import { parseNodeId } from '@flotilla/proto';
import { type AdsPeer, type AdsService, type AdsVerdict, createAdsService } from '@flotilla/xds-grpc';
import type { Admission } from './admission.ts';
import type { NodesPort } from './ports.ts';
import { toStatus } from './status.ts';

const ADS_PATH = '/envoy.service.discovery.v3.AggregatedDiscoveryService';

/** ADS for agents: a stream serves one node, which must belong to the client whose certificate opened it. */
export function createAdsCalls(deps: { admission: Admission; nodes: NodesPort; logger: Logger }): AdsService {
  const { admission, nodes, logger } = deps;

  const open = async (peer: AdsPeer): Promise<AdsVerdict> => {
    const facts = { address: peer.address, metadata: peer.metadata, path: `${ADS_PATH}/${peer.protocol}` };
    const claim = await admission.admit(facts, { action: 'xds.connect' });
    const { clientId, projectId } = claim;
    const named = parseNodeId(peer.nodeId);
    const source =
      named?.clientId === clientId && named.project === projectId
        ? await nodes.open({ clientId, projectId }, peer.nodeId)
        : undefined;
    if (source) return { accept: true, source };
    const node = peer.nodeId.slice(0, 400);
    const error = failEnrolment('xds.node_refused', { node, client: clientId });
    await admission.refuse(facts, { action: 'xds.node_refused', error, claim, changes: { node } });
    throw error;
  };

  return createAdsService({
    openStream: async (peer) => {
      try {
        return await open(peer);
      } catch (error) {
        if (!(error instanceof AppError)) logger.error({ err: error, node: peer.nodeId }, 'ads.open_failed');
        const { code, details } = toStatus(error);
        return { accept: false, code, message: details };
      }
    },
  });
}
