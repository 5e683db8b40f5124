import { AdsClient } from '@flotilla/xds-grpc';
import { Client, credentials } from '@grpc/grpc-js';

/**
 * The other process of the benchmark: the requested number of agents, each with its own connection and delta stream.
 * Arguments: address, count. Reports to its parent how many nodes have which snapshot.
 */
const [address = '', count = '0'] = process.argv.slice(2);
const have = new Map<string, number>();

for (let index = 0; index < Number(count); index += 1) {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const ads = new AdsClient({
    client,
    nodeId: `shop::p1::c${index}`,
    onSnapshot: ({ version }) => {
      const nodes = (have.get(version) ?? 0) + 1;
      have.set(version, nodes);
      if (nodes === Number(count)) process.send?.({ version });
    },
  });
  ads.start();
}

process.on('disconnect', () => process.exit(0));
