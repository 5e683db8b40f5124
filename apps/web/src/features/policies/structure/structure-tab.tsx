import { type ReactNode, useMemo, useRef } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Notice, State, StateShape } from '../../../ui/index.ts';
import classes from './structure.module.css';
import { type EngineStructure, type PolicyStructure, type RouteStructure, readStructure } from './structure.ts';

interface StructureTabProps {
  readonly text: string;
  readonly isDraft: boolean;
}

/** What the policy does, host by host; every line leads to its place in the text. */
export function StructureTab({ text, isDraft }: StructureTabProps) {
  const reading = useMemo(() => readStructure(text), [text]);
  const lastGood = useRef<PolicyStructure>(undefined);
  if (reading.ok) lastGood.current = reading.structure;
  const structure = lastGood.current;
  return (
    <div className={classes.structure}>
      {isDraft && reading.ok && <Notice tone="busy" title="This is your draft, not what is stored." />}
      {!reading.ok && (
        <Notice tone="bad" title="The text cannot be read">
          {reading.problems.slice(0, 5).map(({ line, message }) => (
            <div key={`${line} ${message}`}>
              <LineLink line={line}>Line {line}</LineLink> {message}
            </div>
          ))}
          {structure && <div>Below is the structure as it was before.</div>}
        </Notice>
      )}
      {structure && <Tree structure={structure} />}
    </div>
  );
}

function Tree({ structure: { defaults, domains } }: { structure: PolicyStructure }) {
  return (
    <>
      <p className={classes.defaults}>
        <LineLink line={defaults.line}>Defaults</LineLink>: {modeWords(defaults.mode)};{' '}
        {defaults.failMode === 'fail_open'
          ? 'an engine that fails inside lets the request go on (fail_open).'
          : 'an engine that fails inside blocks the request (fail_close).'}
      </p>
      {domains.length === 0 ? (
        <Empty title="It covers no host">Every request is allowed. Add a domain with its hosts to the text.</Empty>
      ) : (
        <ul className={classes.domains} aria-label="Domains">
          {domains.map((domain, index) => (
            // A list in the order of the text: a domain has no name of its own.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <li key={index} className={classes.domain}>
              <div className={classes.head}>
                <LineLink line={domain.line}>
                  <bdi className="mono">{domain.hosts.join(', ') || 'no host'}</bdi>
                </LineLink>
                <Mode mode={domain.mode} />
              </div>
              <ul className={classes.rules}>
                {domain.routes.map((route) => (
                  <Rule key={`${route.line} ${route.prefix}`} route={route} domainMode={domain.mode} />
                ))}
                <li className={classes.rule}>
                  <span className={classes.match}>{domain.routes.length > 0 ? 'every other path' : 'every path'}</span>
                  <Engines engines={domain.engines} />
                </li>
              </ul>
            </li>
          ))}
        </ul>
      )}
      <p className={classes.dimmed}>
        Requests to hosts that no domain covers are allowed. The longest path prefix wins; all methods are meant.
      </p>
    </>
  );
}

function Rule({ route, domainMode }: { route: RouteStructure; domainMode: string }) {
  return (
    <li className={classes.rule}>
      <span className={classes.match}>
        <LineLink line={route.line}>
          <bdi className="mono">{route.prefix || '?'}</bdi>
        </LineLink>
        {route.mode !== domainMode && <Mode mode={route.mode} />}
      </span>
      <Engines engines={route.engines} />
    </li>
  );
}

function Engines({ engines }: { engines: readonly EngineStructure[] }) {
  if (engines.every(({ origin }) => origin === 'off') && engines.length === 0)
    return <span className={classes.dimmed}>allowed: no engine looks at it</span>;
  return (
    <ul className={classes.engines}>
      {engines.map(({ name, line, origin, words }) => (
        <li key={name}>
          <LineLink line={line}>
            <span className="mono">{name}</span>
          </LineLink>{' '}
          {origin === 'off' ? (
            <span className={classes.dimmed}>switched off here</span>
          ) : (
            <>
              {origin === 'inherited' && <span className={classes.dimmed}>from the domain. </span>}
              <bdi>{words.join(' ')}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Mode({ mode }: { mode: string }) {
  if (mode === 'block')
    return <State word="Blocks" tone="good" shape="full" why="What fails is answered with 403 or 429" />;
  if (mode === 'detect')
    return <State word="Detects" tone="warn" shape="half" why="What would be blocked is counted and let through" />;
  return (
    <span>
      <StateShape tone="bad" shape="triangle" /> unknown mode <bdi>{mode}</bdi>
    </span>
  );
}

function modeWords(mode: string): string {
  if (mode === 'block') return 'blocks what fails';
  return mode === 'detect' ? 'counts what fails and lets it through (detect)' : `mode ${mode}`;
}

function LineLink({ line, children }: { line: number; children: ReactNode }) {
  const url = useUrlState();
  return (
    <button
      type="button"
      className={classes.link}
      title={`Line ${line} of the text`}
      onClick={() => url.set({ tab: undefined, line: String(line) }, 'push')}
    >
      {children}
    </button>
  );
}
