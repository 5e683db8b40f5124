const LENIENT = 'Envoy reads files with a lenient JSON reader; we write bytes and take only what proto-JSON defines';
const FACTORY = 'the code that builds it refuses it; nothing in the descriptors says so';
const OTHERS = 'needs other parts of the configuration: our reference checks find it';

export interface Disagreement {
  /** The verdict of Envoy's validation; ours is the opposite. */
  readonly envoy: 'good' | 'bad';
  readonly reason: string;
  /** Only these release lines of Envoy disagree. */
  readonly lines?: readonly string[];
}

/** Every case in which we disagree with `envoy --mode validate`, and why that is correct. */
export const DISAGREEMENTS: Readonly<Record<string, Disagreement>> = {
  'null inside a list': { envoy: 'good', reason: LENIENT },
  'domain = "a"': { envoy: 'good', reason: LENIENT },
  'wait for warm on init': { envoy: 'good', reason: LENIENT },
  'rate limit action refused by default': {
    envoy: 'good',
    lines: ['1.36', '1.37', '1.38'],
    reason: 'validation of these lines has no runtime to ask and only warns; a running server refuses it as we do',
  },
  'stats tag without a name': { envoy: 'bad', reason: FACTORY },
  'listener address missing': { envoy: 'bad', reason: FACTORY },
  'listener without filter chains': { envoy: 'bad', reason: FACTORY },
  'router not last': { envoy: 'bad', reason: FACTORY },
  'http filter without a type': { envoy: 'bad', reason: FACTORY },
  'domains twice': { envoy: 'bad', reason: FACTORY },
  'weighted clusters of weight 0': { envoy: 'bad', reason: FACTORY },
  'mirror to nowhere': { envoy: 'bad', reason: FACTORY },
  'cluster type = "EDS"': { envoy: 'bad', reason: FACTORY },
  'cluster type = "ORIGINAL_DST"': { envoy: 'bad', reason: FACTORY },
  'lb policy = "CLUSTER_PROVIDED"': { envoy: 'bad', reason: FACTORY },
  'lb policy config without policies': { envoy: 'bad', reason: FACTORY },
  'eds without a config': { envoy: 'bad', reason: FACTORY },
  'endpoint without an address': { envoy: 'bad', reason: FACTORY },
  'endpoint that is a name in a STATIC cluster': { envoy: 'bad', reason: FACTORY },
  'filter oauth2 without a config': { envoy: 'bad', lines: ['1.36', '1.37'], reason: FACTORY },
  'route to an unknown cluster': { envoy: 'bad', reason: OTHERS },
  'clusters two of a name': { envoy: 'bad', reason: OTHERS },
};
