import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, OfflineError } from '../api/index.ts';
import classes from './notice.module.css';
import { type Shape, StateShape, type Tone } from './state.tsx';
import { texts } from './texts.tsx';

const text = texts.notice;

const SHAPES: Readonly<Record<Tone, Shape>> = {
  good: 'full',
  busy: 'arc',
  warn: 'triangle',
  bad: 'triangle',
  quiet: 'ring',
};

/** Shows a message in the page. Screen readers announce `bad` and `warn`. */
export function Notice({ tone, title, children }: { tone: Tone; title: ReactNode; children?: ReactNode }) {
  return (
    <div
      className={`${classes.notice} ${classes[tone] ?? ''}`}
      role={tone === 'bad' || tone === 'warn' ? 'alert' : 'status'}
    >
      <StateShape tone={tone} shape={SHAPES[tone]} />
      <div className={classes.body}>
        <div className={classes.title}>{title}</div>
        {children}
      </div>
    </div>
  );
}

export interface ProblemProps {
  readonly error: unknown;
  /** Subject of the error, as in `The services could not be loaded`. */
  readonly what: string;
  /** Names the functions that still work. */
  readonly still?: string;
  readonly onRetry?: () => void;
}

/** Explains an error: what happened, what still works, what to do, and the request ID in the controller's log. */
export function Problem({ error, what, still, onRetry }: ProblemProps) {
  const { message, details, requestId } = explain(error);
  // A retry would be refused again.
  if (onRetry && isForOtherRoles(error))
    return (
      <Notice tone="quiet" title={text.problem.forOtherRoles}>
        {message}
      </Notice>
    );
  return (
    <Notice tone="bad" title={what}>
      <div>{message}</div>
      {details.length > 0 && (
        <ul className={classes.detail}>
          {details.slice(0, 20).map((detail) => (
            <li key={`${detail.path} ${detail.rule} ${detail.message}`}>
              {detail.path && <span className="mono">{detail.path}</span>} {detail.message}
            </li>
          ))}
        </ul>
      )}
      {still && <div>{still}</div>}
      <div className={classes.foot}>
        {onRetry && (
          <Button variant="default" size="compact-xs" onClick={onRetry}>
            {text.problem.tryAgain}
          </Button>
        )}
        {requestId && <span>{text.problem.request(<span className="mono">{requestId}</span>)}</span>}
      </div>
    </Notice>
  );
}

function isForOtherRoles(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'role.forbidden' || error.code === 'owner.required');
}

export interface Explained {
  readonly message: string;
  readonly details: ApiError['details'];
  readonly requestId: string | undefined;
}

/** Returns a title and a hint for any error. */
export function explain(error: unknown): Explained {
  if (error instanceof ApiError)
    return { message: error.message, details: error.details, requestId: error.requestId || undefined };
  if (error instanceof OfflineError)
    return {
      message: text.explain.noAnswer,
      details: [],
      requestId: undefined,
    };
  const message = error instanceof Error ? error.message : String(error);
  return {
    message: text.explain.ownFault(message),
    details: [],
    requestId: undefined,
  };
}

/** Empty state: explains the purpose of the list and offers the first action. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <div className={classes.emptyTitle}>{title}</div>
      {children && <div className={classes.emptyText}>{children}</div>}
      {action}
    </div>
  );
}
