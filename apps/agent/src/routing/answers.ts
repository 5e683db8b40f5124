import type { BgpDocument, RoutingBody } from '@flotilla/proto/routing';
import { ROUTES_DEFAULT } from '@flotilla/proto/routing';
import { RoutingError, type Vtysh } from './vtysh.ts';

type Json = Readonly<Record<string, unknown>>;

/** Reads what FRR knows of its sessions and routes, always from its JSON. */
export class RoutingAnswers {
  readonly #vtysh: Vtysh;

  constructor(vtysh: Vtysh) {
    this.#vtysh = vtysh;
  }

  /** FRR's summary of each address family. */
  async summary(signal: AbortSignal) {
    const answer = toObject(await this.#ask('show bgp summary json', signal));
    const families = { ipv4_unicast: toObject(answer.ipv4Unicast), ipv6_unicast: toObject(answer.ipv6Unicast) };
    return { summary: families };
  }

  async neighbors(signal: AbortSignal) {
    const all = toObject(await this.#ask('show bgp neighbors json', signal));
    const bfd = await this.#bfdPeers(signal);
    const neighbors = Object.entries(all)
      .filter(([, value]) => typeof value === 'object' && value !== null)
      .map(([peer_ip, value]) => toNeighbor(peer_ip, toObject(value), bfd.get(peer_ip)));
    return { neighbors };
  }

  /** All that FRR knows of a session, too. */
  async neighbor(peerIp: string, signal: AbortSignal) {
    const all = toObject(await this.#ask(`show bgp neighbors ${peerIp} json`, signal));
    const details = toObject(all[peerIp]);
    if (Object.keys(details).length === 0) {
      throw new RoutingError('routing.not_found', `FRR has no neighbour ${peerIp}`);
    }
    return { neighbor: toNeighbor(peerIp, details, (await this.#bfdPeers(signal)).get(peerIp)), details };
  }

  /** The table of routes, or the routes of one neighbour in one direction. */
  async routes(body: RoutingBody<'BGP_SHOW_ROUTES'>, signal: AbortSignal) {
    const { peer_ip: peer, prefix, count = ROUTES_DEFAULT, direction = 'received' } = body;
    const family = body.family ?? (prefix?.includes(':') === true ? 'ipv6' : 'ipv4');
    const table = `show bgp ${family} unicast`;
    const command = peer
      ? `${table} neighbors ${peer} ${direction === 'received' ? 'routes' : 'advertised-routes'} json`
      : `${table}${prefix ? ` ${prefix} longer-prefixes` : ''} json`;
    const answer = toObject(await this.#ask(command, signal));
    if (answer.bgpNoSuchNeighbor === true || 'warning' in answer) {
      throw new RoutingError('routing.not_found', String(answer.warning ?? `FRR has no neighbour ${peer}`));
    }
    const all = Object.entries(toObject(answer.routes ?? answer.advertisedRoutes))
      .filter(([network]) => !peer || !prefix || network === prefix)
      .map(([network, paths]) => toRoute(network, paths));
    return {
      routes: {
        family,
        ...(peer && { peer_ip: peer, direction }),
        router_id: text(answer.routerId ?? answer.bgpLocalRouterId),
        local_as: number(answer.localAS),
        total: all.length,
        routes: all.slice(0, count),
      },
    };
  }

  async clear({ clear }: RoutingBody<'BGP_CLEAR_ROUTES'>, document: BgpDocument | null): Promise<void> {
    const { neighbor, soft, direction } = clear;
    if (neighbor !== '*' && document && !document.neighbors.some(({ peer_ip }) => peer_ip === neighbor)) {
      throw new RoutingError('routing.not_found', `neighbour ${neighbor} does not exist`);
    }
    const how = soft ? ` soft${direction === 'all' ? '' : ` ${direction}`}` : '';
    await this.#vtysh.command(`clear bgp ${neighbor}${how}`);
  }

  async #bfdPeers(signal: AbortSignal): Promise<ReadonlyMap<string, Json>> {
    const answer = await this.#vtysh.ask('bfdd', 'show bfd peers json', signal);
    const peers = Array.isArray(answer) ? answer.map(toObject) : [];
    return new Map(peers.map((peer) => [String(peer.peer), peer]));
  }

  async #ask(command: string, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#vtysh.ask('bgpd', command, signal);
    if (answer !== undefined) return answer;
    const message = "FRR's bgpd does not run; set bgpd=yes in /etc/frr/daemons and restart the service frr";
    throw new RoutingError('routing.not_running', message);
  }
}

function toNeighbor(peer_ip: string, value: Json, bfd: Json | undefined) {
  const restart = toObject(value.gracefulRestartInfo);
  const families = Object.entries(toObject(value.addressFamilyInfo)).map(([family, counts]) => {
    const { acceptedPrefixCounter: accepted, sentPrefixCounter: sent } = toObject(counts);
    return { family: text(family), accepted_prefixes: number(accepted), sent_prefixes: number(sent) };
  });
  return {
    peer_ip,
    remote_as: number(value.remoteAs),
    local_as: number(value.localAs),
    description: text(value.nbrDesc),
    peer_group: text(value.peerGroup),
    state: text(value.bgpState),
    uptime_ms: value.bgpState === 'Established' ? number(value.bgpTimerUpMsec) : null,
    is_shut_down: value.adminShutDown === true,
    connections_established: number(value.connectionsEstablished),
    /** Flaps: sessions that were established and ended. */
    connections_dropped: number(value.connectionsDropped),
    last_reset: text(value.lastResetDueTo),
    last_reset_ms: number(value.lastResetTimerMsecs),
    hold_time_ms: number(value.bgpTimerHoldTimeMsecs),
    keepalive_ms: number(value.bgpTimerKeepAliveIntervalMsecs),
    graceful_restart: { local: mode(restart.localGrMode), remote: mode(restart.remoteGrMode) },
    bfd: bfd ? { status: text(bfd.status), diagnostic: text(bfd.diagnostic) } : null,
    families,
    messages: toObject(value.messageStats),
  };
}

/** FRR marks a mode that comes from the process with an asterisk. */
function mode(value: unknown): string | null {
  return text(value)?.replace(/\*$/, '') ?? null;
}

function toRoute(network: string, value: unknown) {
  const paths = (Array.isArray(value) ? value : [value]).map(toObject);
  return {
    network,
    paths: paths.map((path) => ({
      is_valid: path.valid === true || toObject(path.appliedStatusSymbols)['*'] === true,
      is_best: path.bestpath === true || toObject(path.appliedStatusSymbols)['>'] === true,
      is_stale: path.stale === true,
      as_path: text(path.path),
      origin: text(path.origin ?? path.bgpOriginCode),
      metric: number(path.metric),
      local_preference: number(path.locPrf),
      weight: number(path.weight),
      from: text(path.pathFrom),
      peer: text(path.peerId),
      next_hops: Array.isArray(path.nexthops)
        ? path.nexthops.map((hop) => text(toObject(hop).ip)).filter((ip) => ip !== null)
        : [path.nextHop, path.nextHopGlobal].map(text).filter((ip) => ip !== null),
    })),
  };
}

function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
