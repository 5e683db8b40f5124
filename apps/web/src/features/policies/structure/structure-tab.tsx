import { type ReactNode, useMemo, useRef } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Notice, State, StateShape } from '../../../ui/index.ts';
import classes from './structure.module.css';
import { type EngineStructure, type PolicyStructure, type RouteStructure, readStructure } from './structure.ts';
import { texts } from './texts.tsx';

const wording = texts.structureTab;

interface StructureTabProps {
  readonly text: string;
  readonly isDraft: boolean;
}

/** Shows the rules of the policy by host. Every line links to its place in the text. */
export function StructureTab({ text, isDraft }: StructureTabProps) {
  const parsed = useMemo(() => readStructure(text), [text]);
  const lastGood = useRef<PolicyStructure>(undefined);
  if (parsed.ok) lastGood.current = parsed.structure;
  const structure = lastGood.current;
  return (
    <div className={classes.structure}>
      {isDraft && parsed.ok && <Notice tone="busy" title={wording.tab.isDraft} />}
      {!parsed.ok && (
        <Notice tone="bad" title={wording.tab.unreadable}>
          {parsed.problems.slice(0, 5).map(({ line, message }) => (
            <div key={`${line} ${message}`}>
              <LineLink line={line}>{wording.tab.lineLink(line)}</LineLink> {message}
            </div>
          ))}
          {structure && <div>{wording.tab.structureBefore}</div>}
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
        <LineLink line={defaults.line}>{wording.tree.lineLink}</LineLink>: {modeWords(defaults.mode)};{' '}
        {defaults.failMode === 'fail_open' ? wording.tree.failsOpen : wording.tree.failsClosed}
      </p>
      {domains.length === 0 ? (
        <Empty title={wording.tree.emptyTitle}>{wording.tree.empty}</Empty>
      ) : (
        <ul className={classes.domains} aria-label={wording.tree.domains}>
          {domains.map((domain, index) => (
            // Domains have no ID; the list has the order of the text.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <li key={index} className={classes.domain}>
              <div className={classes.head}>
                <LineLink line={domain.line}>
                  <bdi className="mono">{domain.hosts.join(', ') || wording.tree.noHost}</bdi>
                </LineLink>
                <Mode mode={domain.mode} />
              </div>
              <ul className={classes.rules}>
                {domain.routes.map((route) => (
                  <Rule key={`${route.line} ${route.prefix}`} route={route} domainMode={domain.mode} />
                ))}
                <li className={classes.rule}>
                  <span className={classes.match}>
                    {domain.routes.length > 0 ? wording.tree.everyOtherPath : wording.tree.everyPath}
                  </span>
                  <Engines engines={domain.engines} />
                </li>
              </ul>
            </li>
          ))}
        </ul>
      )}
      <p className={classes.dimmed}>{wording.tree.uncoveredAllowed}</p>
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
    return <span className={classes.dimmed}>{wording.engines.none}</span>;
  return (
    <ul className={classes.engines}>
      {engines.map(({ name, line, origin, words }) => (
        <li key={name}>
          <LineLink line={line}>
            <span className="mono">{name}</span>
          </LineLink>{' '}
          {origin === 'off' ? (
            <span className={classes.dimmed}>{wording.engines.switchedOff}</span>
          ) : (
            <>
              {origin === 'inherited' && <span className={classes.dimmed}>{wording.engines.inherited}</span>}
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
    return <State word={wording.mode.blocks} tone="good" shape="full" why={wording.mode.whyBlocks} />;
  if (mode === 'detect')
    return <State word={wording.mode.detects} tone="warn" shape="half" why={wording.mode.whyDetects} />;
  return <span>{wording.mode.unknown(<StateShape tone="bad" shape="triangle" />, <bdi>{mode}</bdi>)}</span>;
}

function modeWords(mode: string): string {
  if (mode === 'block') return wording.modeWords.block;
  return mode === 'detect' ? wording.modeWords.detect : wording.modeWords.other(mode);
}

function LineLink({ line, children }: { line: number; children: ReactNode }) {
  const url = useUrlState();
  return (
    <button
      type="button"
      className={classes.link}
      title={wording.lineLink.toLine(line)}
      onClick={() => url.set({ tab: undefined, line: String(line) }, 'push')}
    >
      {children}
    </button>
  );
}
