/** A place in a JSON document, as a chain to the root: cheap to extend, formatted only on demand. */
export interface PathNode {
  readonly parent: PathNode | undefined;
  readonly key: string | number;
}

const IDENTIFIER = /^[A-Za-z_@$][\w@$-]*$/;

/** `virtual_hosts[0].routes[2].match`; unusual keys are quoted: `filter_metadata["envoy.lb"]`. The root is `''`. */
export function formatPath(node: PathNode | undefined): string {
  const parts: string[] = [];
  for (let at = node; at; at = at.parent) {
    if (typeof at.key === 'number') parts.push(`[${at.key}]`);
    else if (IDENTIFIER.test(at.key)) parts.push(at.parent ? `.${at.key}` : at.key);
    else parts.push(`[${JSON.stringify(at.key)}]`);
  }
  return parts.reverse().join('');
}

/** The keys from the root down. */
export function keysOf(node: PathNode | undefined): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = node; at; at = at.parent) keys.push(at.key);
  return keys.reverse();
}
