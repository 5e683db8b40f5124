import type { Explanation } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { PolicyLink } from '../../../app/links.tsx';
import { Facts, Notice, State } from '../../../ui/index.ts';
import { reasonWords } from '../../shield-events/index.ts';
import { engineTitle } from '../form/engine-names.ts';
import { texts } from './texts.tsx';
import classes from './trial.module.css';
import { addressWords, bodyWords, domainMissWords, engineLook, routeMissWords } from './trial-words.ts';

const text = texts.trialResult;

type Engine = Explanation['engines'][number];

/** Shows the verdict first, then each step that led to it. */
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
        title={isBlocked ? text.result.blocked(answer?.status ?? 403) : text.result.allowed}
      >
        <bdi>{summary}</bdi>
        {isDraft && <div>{text.result.byDraft}</div>}
      </Notice>
      <Part title={text.result.engines}>
        {engines.length === 0 ? (
          <p className={classes.dimmed}>{text.result.noEngine}</p>
        ) : (
          <ol className={classes.engines} aria-label={text.result.verdicts}>
            {engines.map((engine) => (
              <li key={`${engine.policy} ${engine.route} ${engine.engine} ${engine.phase}`}>
                <EngineVerdict engine={engine} host={request.host} />
              </li>
            ))}
          </ol>
        )}
      </Part>
      <Part title={text.result.whichPolicy}>
        <Matched match={match} host={request.host} />
      </Part>
      <Part title={text.result.request}>
        <RequestFacts request={request} body={body} />
      </Part>
      {answer && <Answer answer={answer} />}
      {changed.length > 0 && <Grants grants={changed} />}
    </div>
  );
}

function RequestFacts({ request, body }: Pick<Explanation, 'request' | 'body'>) {
  return (
    <Facts
      facts={[
        [
          text.result.host,
          <bdi key="host" className="mono">
            {request.host || 'none'}
          </bdi>,
        ],
        [
          text.result.path,
          <bdi key="path" className={`mono ${classes.break}`}>
            {request.path}
          </bdi>,
        ],
        [
          text.result.sourceAddress,
          <span key="ip">
            <span className="mono">{request.source_ip || 'none'}</span>{' '}
            <span className={classes.dimmed}>{addressWords(request.source_ip_from)}</span>
          </span>,
        ],
        [
          text.result.body,
          <span key="body">
            {body.sent_bytes !== null && text.result.bytes(body.sent_bytes.toLocaleString())}
            {bodyWords(body.state)}
            {body.max_bytes > 0 && text.result.atMostBytes(body.max_bytes.toLocaleString())}
          </span>,
        ],
      ]}
    />
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

function EngineVerdict({ engine, host }: { engine: Engine; host: string }) {
  const { reason, detail, subject, limiter, route, policy, phase, mode } = engine;
  return (
    <div className={classes.engine}>
      <span className={classes.engineName} title={engine.engine}>
        {engine.engine === 'body' ? text.engine.body : engineTitle(engine.engine)}
      </span>
      <State {...engineLook(engine)} />
      <div className={classes.engineWords}>
        {reason !== null && (
          <div>
            <span className="mono">{reason}</span> <span className={classes.dimmed}>{reasonWords(reason)}</span>
            {detail !== null && <bdi> ({detail})</bdi>}
          </div>
        )}
        {subject !== null && <div>{text.engine.subject(<bdi>{subject}</bdi>)}</div>}
        {limiter && (
          <div className={classes.dimmed}>
            {text.engine.limiter({
              rate: limiter.requests_per_second.toLocaleString('en'),
              burst: limiter.burst.toLocaleString('en'),
              by: countedBy(limiter),
              value: limiter.has_key
                ? limiter.value !== null && (
                    <>
                      : <bdi className="mono">{limiter.value}</bdi>
                    </>
                  )
                : text.engine.headerMissing,
              sharedBy: limiter.shared_by,
            })}
          </div>
        )}
        <div className={classes.dimmed}>
          <PolicyLink name={policy} rule={{ host, route: route ?? '', engine: engine.engine }} />,{' '}
          {route === null ? text.engine.domainItself : <bdi className="mono">{route}</bdi>}, {mode},{' '}
          {phase === 'body' ? text.engine.looksAtBody : text.engine.looksAtHeaders}
        </div>
      </div>
    </div>
  );
}

function countedBy({ key, header }: NonNullable<Engine['limiter']>): string {
  if (key === 'api_key') return text.engine.byApiKey;
  return key === 'header' ? text.engine.byHeader(header ?? '') : key;
}

function Matched({ match, host }: { match: Explanation['match']; host: string }) {
  const { domain, readings, other_domains: domains, other_routes: routesMissed } = match;
  return (
    <>
      {domain ? (
        <p>
          {text.matched.domainMatched(
            <bdi className="mono">{host}</bdi>,
            <bdi className="mono">{domain.entry}</bdi>,
            <PolicyLink name={domain.policy} />,
          )}
        </p>
      ) : (
        <p>{host === '' ? text.matched.noHost : text.matched.noDomain(<bdi className="mono">{host}</bdi>)}</p>
      )}
      {domain && readings.length > 0 && (
        <ul className={classes.list} aria-label={text.matched.readings}>
          {readings.map(({ path, is_router: isRouter, route }) => (
            <li key={path}>
              <bdi className={`mono ${classes.break}`}>{path}</bdi>{' '}
              {route === null ? (
                <span className={classes.dimmed}>{text.matched.noRoute}</span>
              ) : (
                text.matched.fallsUnder(<bdi className="mono">{route}</bdi>)
              )}
              {readings.length > 1 && (
                <span className={classes.dimmed}>
                  {isRouter ? text.matched.readByEnvoy : text.matched.readByUpstream}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {(domains.length > 0 || routesMissed.length > 0) && (
        <details>
          <summary className={classes.more}>{text.matched.summary}</summary>
          <ul className={classes.list}>
            {domains.map(({ entry, policy, why }) => (
              <li key={`${policy} ${entry}`}>
                {text.matched.domainMissed(
                  <bdi className="mono">{entry}</bdi>,
                  <bdi className="mono">{policy}</bdi>,
                  domainMissWords(why),
                )}
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
    <Part title={text.answer.title}>
      <pre className={classes.answer} tabIndex={0} aria-label={text.answer.whole}>
        {[
          text.answer.statusLine(answer.status),
          ...answer.headers.map(([name, value]) => `${name}: ${value}`),
          '',
          answer.body,
        ].join('\n')}
      </pre>
    </Part>
  );
}

function Grants({ grants }: { grants: Explanation['grants'] }) {
  return (
    <Part title={text.grants.title}>
      <ul className={classes.list}>
        {grants.map((grant, index) => (
          // Grants have no ID.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index}>
            {grant.subject !== null && <>{text.grants.asSubject(<bdi>{grant.subject}</bdi>)}</>}
            {grant.set_headers.map(([name, value]) => (
              <span key={name}>{text.grants.withHeader(<bdi className="mono">{`${name}: ${value}`}</bdi>)}</span>
            ))}
            {grant.remove_headers.length > 0 &&
              text.grants.withoutHeaders(<span className="mono">{grant.remove_headers.join(', ')}</span>)}
            {grant.remove_query_parameter !== null &&
              text.grants.withoutQuery(<bdi className="mono">{grant.remove_query_parameter}</bdi>)}
          </li>
        ))}
      </ul>
    </Part>
  );
}
