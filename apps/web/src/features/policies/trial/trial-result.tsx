import type { Explanation } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { PolicyLink } from '../../../app/links.tsx';
import { Facts, Notice, State } from '../../../ui/index.ts';
import { reasonWords } from '../../shield-events/index.ts';
import { engineTitle } from '../form/engine-names.ts';
import classes from './trial.module.css';
import { addressWords, bodyWords, domainMissWords, engineLook, routeMissWords } from './trial-words.ts';

type Engine = Explanation['engines'][number];

/** What would become of the request, and why: the verdict first, then each step that led to it. */
export function TrialResult({ explanation, isDraft }: { explanation: Explanation; isDraft: boolean }) {
  const { verdict, answer, summary, match, engines, request, body, grants } = explanation;
  const isBlocked = verdict === 'blocked';
  const changed = grants.filter(
    ({ set_headers: set, remove_headers: gone, remove_query_parameter: parameter }) =>
      set.length > 0 || gone.length > 0 || parameter !== null,
  );
  return (
    <div className={classes.result}>
      <Notice
        tone={isBlocked ? 'bad' : 'good'}
        title={isBlocked ? `Blocked: the client gets ${answer?.status ?? 403}` : 'Allowed'}
      >
        <bdi>{summary}</bdi>
        {isDraft && <div>By your draft, not by what is stored.</div>}
      </Notice>
      <Part title="Engines">
        {engines.length === 0 ? (
          <p className={classes.dimmed}>None looks at this request.</p>
        ) : (
          <ol className={classes.engines} aria-label="Verdicts of the engines, in the order in which they decide">
            {engines.map((engine) => (
              <li key={`${engine.policy} ${engine.route} ${engine.engine} ${engine.phase}`}>
                <EngineVerdict engine={engine} />
              </li>
            ))}
          </ol>
        )}
      </Part>
      <Part title="Which policy">
        <Matched match={match} host={request.host} />
      </Part>
      <Part title="The request as the policy reads it">
        <Facts
          facts={[
            [
              'Host',
              <bdi key="host" className="mono">
                {request.host || 'none'}
              </bdi>,
            ],
            [
              'Path',
              <bdi key="path" className={`mono ${classes.break}`}>
                {request.path}
              </bdi>,
            ],
            [
              'Source address',
              <span key="ip">
                <span className="mono">{request.source_ip || 'none'}</span>{' '}
                <span className={classes.dimmed}>{addressWords(request.source_ip_from)}</span>
              </span>,
            ],
            [
              'Body',
              <span key="body">
                {body.sent_bytes !== null && `${body.sent_bytes.toLocaleString()} bytes. `}
                {bodyWords(body.state)}
                {body.max_bytes > 0 && ` At most ${body.max_bytes.toLocaleString()} bytes are read.`}
              </span>,
            ],
          ]}
        />
      </Part>
      {answer && <Answer answer={answer} />}
      {changed.length > 0 && <Grants grants={changed} />}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.part} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function EngineVerdict({ engine }: { engine: Engine }) {
  const { reason, detail, subject, limiter, route, policy, phase, mode } = engine;
  return (
    <div className={classes.engine}>
      <span className={classes.engineName} title={engine.engine}>
        {engine.engine === 'body' ? 'Body' : engineTitle(engine.engine)}
      </span>
      <State {...engineLook(engine)} />
      <div className={classes.engineWords}>
        {reason !== null && (
          <div>
            <span className="mono">{reason}</span> <span className={classes.dimmed}>{reasonWords(reason)}</span>
            {detail !== null && <bdi> ({detail})</bdi>}
          </div>
        )}
        {subject !== null && (
          <div>
            Subject <bdi>{subject}</bdi>
          </div>
        )}
        {limiter && (
          <div className={classes.dimmed}>
            {limiter.requests_per_second.toLocaleString('en')} per second, {limiter.burst.toLocaleString('en')} at once,
            counted by {limiter.key === 'header' ? `the header ${limiter.header ?? ''}` : limiter.key}
            {limiter.has_key
              ? limiter.value !== null && (
                  <>
                    : <bdi className="mono">{limiter.value}</bdi>
                  </>
                )
              : ': not there, so together with all others that lack it'}
            {limiter.shared_by > 1 && `; ${limiter.shared_by} places share the limit`}. Tried with a full bucket;
            nothing is taken from it.
          </div>
        )}
        <div className={classes.dimmed}>
          <bdi className="mono">{policy}</bdi>,{' '}
          {route === null ? 'the domain itself' : <bdi className="mono">{route}</bdi>}, {mode},{' '}
          {phase === 'body' ? 'looks at the body' : 'looks at headers'}
        </div>
      </div>
    </div>
  );
}

function Matched({ match, host }: { match: Explanation['match']; host: string }) {
  const { domain, readings, other_domains: domains, other_routes: routesMissed } = match;
  return (
    <>
      {domain ? (
        <p>
          <bdi className="mono">{host}</bdi> is covered by <bdi className="mono">{domain.entry}</bdi> of{' '}
          <PolicyLink name={domain.policy} />.
        </p>
      ) : (
        <p>
          No domain covers <bdi className="mono">{host || 'this host'}</bdi>: nothing guards the request.
        </p>
      )}
      {domain && readings.length > 0 && (
        <ul className={classes.list} aria-label="Readings of the path">
          {readings.map(({ path, is_router: isRouter, route }) => (
            <li key={path}>
              <bdi className={`mono ${classes.break}`}>{path}</bdi>{' '}
              {route === null ? (
                <span className={classes.dimmed}>no route: the domain's own policy</span>
              ) : (
                <>
                  falls under <bdi className="mono">{route}</bdi>
                </>
              )}
              {readings.length > 1 && (
                <span className={classes.dimmed}>
                  {isRouter ? ' (as Envoy reads it)' : ' (as a program behind may read it)'}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {(domains.length > 0 || routesMissed.length > 0) && (
        <details>
          <summary className={classes.more}>What came near but did not match</summary>
          <ul className={classes.list}>
            {domains.map(({ entry, policy, why }) => (
              <li key={`${policy} ${entry}`}>
                <bdi className="mono">{entry}</bdi> of <bdi className="mono">{policy}</bdi> {domainMissWords(why)}
              </li>
            ))}
            {routesMissed.map(({ path_prefix: prefix, why }) => (
              <li key={prefix}>
                <bdi className="mono">{prefix}</bdi> {routeMissWords(why)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Answer({ answer }: { answer: NonNullable<Explanation['answer']> }) {
  return (
    <Part title="The answer">
      <pre className={classes.answer} tabIndex={0} aria-label="The answer that the client gets">
        {[`HTTP ${answer.status}`, ...answer.headers.map(([name, value]) => `${name}: ${value}`), '', answer.body].join(
          '\n',
        )}
      </pre>
    </Part>
  );
}

function Grants({ grants }: { grants: Explanation['grants'] }) {
  return (
    <Part title="What the upstream gets">
      <ul className={classes.list}>
        {grants.map((grant, index) => (
          // Grants have no name of their own.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index}>
            {grant.subject !== null && (
              <>
                As <bdi>{grant.subject}</bdi>.{' '}
              </>
            )}
            {grant.set_headers.map(([name, value]) => (
              <span key={name}>
                With <bdi className="mono">{`${name}: ${value}`}</bdi>.{' '}
              </span>
            ))}
            {grant.remove_headers.length > 0 && (
              <>
                Without <span className="mono">{grant.remove_headers.join(', ')}</span> from the client.{' '}
              </>
            )}
            {grant.remove_query_parameter !== null && (
              <>
                Without the query parameter <bdi className="mono">{grant.remove_query_parameter}</bdi>.
              </>
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}
