import type { Hashed, KeyedHash } from '../keyed-hash.ts';
import { RecentMap } from '../recent-map.ts';
import { isInternal, parseAddress, sourceKeyOf } from './address.ts';
import { type GeoDatabase, memberOf } from './geo-database.ts';
import type { NetworkSet } from './network-set.ts';

/** Facts that an address shows about a client. */
export interface SourceFacts {
  /** The keyed hash of its network. Begins with `a`, so that it is no consumer. Empty for what is no address: detectors do not count by it. */
  readonly key: string;
  readonly isInternal: boolean;
  readonly isKnown: boolean;
  /** ISO code, in capitals; empty if it is not known. */
  readonly country: string;
  readonly continent: string;
  readonly asn: number;
  readonly isHosting: boolean;
  readonly isEgress: boolean;
  readonly isThreat: boolean;
  readonly isTrustedProxy: boolean;
  readonly isTrustedTlsProxy: boolean;
  readonly isExcluded: boolean;
}

export interface SourceKnowledge {
  readonly hash: KeyedHash;
  readonly city: GeoDatabase | undefined;
  readonly asn: GeoDatabase | undefined;
  /** In the order of the feeds. */
  readonly threats: readonly NetworkSet[];
  readonly trustedProxies: NetworkSet;
  readonly trustedTlsProxies: NetworkSet;
  readonly excluded: NetworkSet;
  readonly hostingAsns: ReadonlySet<number>;
  readonly egressAsns: ReadonlySet<number>;
}

/** An address of which the pipeline also keeps what it derives with the key of the project. */
export interface KnownSource {
  readonly facts: SourceFacts;
  hash: Hashed | undefined;
}

const UNKNOWN: SourceFacts = {
  key: '',
  isInternal: true,
  isKnown: false,
  country: '',
  continent: '',
  asn: 0,
  isHosting: false,
  isEgress: false,
  isThreat: false,
  isTrustedProxy: false,
  isTrustedTlsProxy: false,
  isExcluded: false,
};
/** Many clients come again and again from the same addresses. */
const REMEMBERED = 16_384;
/** Large hosting companies. The others are recognised by their names, or named by `hosting_asns`. */
const HOSTING_ASNS: ReadonlySet<number> = new Set([
  8075, 8560, 9009, 12_876, 14_061, 14_618, 16_276, 16_509, 20_473, 24_940, 28_753, 31_898, 45_102, 47_583, 51_167,
  60_068, 60_781, 63_949, 132_203, 212_238, 213_230, 396_982,
]);
const HOSTING_NAME = /\b(?:hosting|hosted|datacenters?|data cent(?:er|re)s?|cloud|servers?|vps|colocation)\b/i;

/** Facts of addresses, remembered for the recent ones. */
export class Sources {
  readonly #knowledge: SourceKnowledge;
  readonly #known = new RecentMap<string, KnownSource>(REMEMBERED);

  constructor(knowledge: SourceKnowledge) {
    this.#knowledge = knowledge;
  }

  find(text: string): KnownSource {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const source = { facts: this.#derive(text), hash: undefined };
    this.#known.set(text, source);
    return source;
  }

  #derive(text: string): SourceFacts {
    const address = parseAddress(text);
    if (address === undefined) return UNKNOWN;
    const { hash, city, asn, threats, trustedProxies, trustedTlsProxies, excluded } = this.#knowledge;
    const isInside = isInternal(address);
    const place = isInside ? undefined : city?.find(address);
    const network = isInside ? undefined : asn?.find(address);
    const number = memberOf(network, 'autonomous_system_number');
    const asnNumber = typeof number === 'number' ? number : 0;
    const organization = memberOf(network, 'autonomous_system_organization');
    return {
      key: `a${hash.of('source', sourceKeyOf(address)).text}`,
      isInternal: isInside,
      isKnown: true,
      country: code(memberOf(place, 'country', 'iso_code') ?? memberOf(place, 'registered_country', 'iso_code')),
      continent: code(memberOf(place, 'continent', 'code')),
      asn: asnNumber,
      isHosting: this.#isHosting(asnNumber, typeof organization === 'string' ? organization : ''),
      isEgress: this.#knowledge.egressAsns.has(asnNumber),
      isThreat: threats.some((feed) => feed.has(address)),
      isTrustedProxy: trustedProxies.has(address),
      isTrustedTlsProxy: trustedTlsProxies.has(address),
      isExcluded: excluded.has(address),
    };
  }

  #isHosting(asn: number, organization: string): boolean {
    return (
      HOSTING_ASNS.has(asn) || this.#knowledge.hostingAsns.has(asn) || HOSTING_NAME.test(organization.slice(0, 128))
    );
  }
}

/** A text of the database that is no code of two letters is dropped. */
function code(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z]{2}$/.test(value) ? value.toUpperCase() : '';
}
