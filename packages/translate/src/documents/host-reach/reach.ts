/** The access that a part of a document gives beyond its service. */
export type Reach =
  /** Files, environment, memory, kernel or cloud identity of the host. */
  | 'host'
  /** Addresses that no document contains, or that only the proxy's network location opens. */
  | 'network'
  /** The proxy's configuration, or the controller itself. */
  | 'control_plane';

/** Why only owners may use something. `reason` continues a sentence whose subject is the field. */
export interface Restriction {
  readonly reach: Reach;
  readonly reason: string;
}

export function restrict(reach: Reach, reason: string): Restriction {
  return { reach, reason };
}

export const CODE = restrict('host', 'runs code in the proxy that can reach the host');
export const ENVIRONMENT = restrict('host', 'reads the environment of the proxy');
export const CLOUD_IDENTITY = restrict('host', 'uses the cloud identity of the host');
export const ANY_ADDRESS = restrict('network', 'lets a request choose any address, also those of the host itself');
export const UPSTREAM_ADDRESS = restrict(
  'network',
  'lets an upstream choose any address, also those of the host itself',
);
export const ANY_CLUSTER = restrict('control_plane', 'lets a request choose any cluster, also those of the controller');
export const FOREIGN_SOURCE = restrict('control_plane', 'takes configuration that nobody has checked');
export const UNDECIDED = restrict('host', 'is new: nobody has decided yet whether it reaches the host');
