import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import classes from './inventory.module.css';
import { texts } from './texts.tsx';

interface OperationKey {
  readonly id: string;
  readonly method: string;
  readonly host: string;
  readonly normalized_path: string;
  readonly operation: string;
}

/** The path of an operation, or what stands for it: a GraphQL operation, a row of all others. */
export function pathOf({
  normalized_path: path,
  operation,
}: Pick<OperationKey, 'normalized_path' | 'operation'>): string {
  return operation === '' ? path : `${path} ${operation}`;
}

/** Names an operation with all parts, in one line of text. */
export function nameOf(key: Omit<OperationKey, 'id'>): string {
  return `${key.method} ${key.host}${pathOf(key)}`;
}

const TITLE_MAX = 120;

/** A name of at most so many characters that a title or a question stays readable. Names come from requests and may be long. */
export function shortNameOf(key: Omit<OperationKey, 'id'>): string {
  const name = nameOf(key);
  return name.length > TITLE_MAX ? `${[...name].slice(0, TITLE_MAX).join('')}…` : name;
}

interface OperationLinkProps {
  readonly of: OperationKey;
  readonly isOther?: boolean;
  /** Also shows method and host. */
  readonly isWhole?: boolean;
  /** Also shows them, the host last: a list in which names are cut shows the paths, by which endpoints of one host differ. */
  readonly isPathFirst?: boolean;
}

/** Links to the page of an operation. Its name comes from requests: it may contain anything, and is shown as text. */
export function OperationLink({ of, isOther = false, isWhole = false, isPathFirst = false }: OperationLinkProps) {
  const project = useProject();
  const name = isOther ? texts.operation.other : pathOf(of) || texts.operation.tcp;
  return (
    <Link
      to="/p/$project/traffic/endpoints/$endpointId"
      params={{ project: project.name, endpointId: of.id }}
      title={isOther ? texts.operation.otherHint : nameOf(of)}
      className={`mono ${classes.operation}`}
    >
      {(isWhole || isPathFirst) && !isOther && `${of.method} `}
      <bdi>{isWhole && !isOther ? `${of.host}${name}` : name}</bdi>
      {isPathFirst && !isOther && <bdi className={classes.host}> {of.host}</bdi>}
    </Link>
  );
}
