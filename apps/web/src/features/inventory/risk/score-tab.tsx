import type { TrafficScore, TrafficScorePillar } from '@flotilla/contract';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Section, type Tone, useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { ShareBar } from '../charts/share-bar.tsx';
import { DiscoveryHint } from '../discovery-hint.tsx';
import { EventsLink } from '../events-link.tsx';
import classes from '../inventory.module.css';
import { StoreLoaded } from '../store-loaded.tsx';
import { readWindow, toSearch } from '../time-window.ts';
import { WindowBar } from '../window-bar.tsx';
import { OpenFindings } from './open-findings.tsx';
import own from './risk.module.css';
import { texts } from './texts.tsx';

const text = texts.score;

const MINUTE_MS = 60_000;

const GRADE_TONES: Readonly<Record<TrafficScore['grade'], Tone>> = {
  A: 'good',
  B: 'good',
  C: 'warn',
  D: 'warn',
  F: 'bad',
  'N/A': 'quiet',
};

/** The grade, its five parts, and what would raise each. */
export function ScoreTab() {
  const url = useUrlState();
  const project = useProject();
  const asked = readWindow(url.get, useNow(MINUTE_MS));
  const query = useApi(
    routes.trafficInsight.score,
    { query: { project: project.id, from: asked.from, to: asked.to } },
    { keepPrevious: true },
  );
  return (
    <div className={layout.stack}>
      <WindowBar asked={asked} />
      <StoreLoaded query={query} what={text.what} skeleton={10}>
        {({ body }) => (
          <>
            <Grade score={body} />
            {body.totals.requests === 0 && <DiscoveryHint otherwise={null} />}
            <Section title={text.parts}>
              <ul className={own.pillars}>
                {body.pillars.map((pillar) => (
                  <Pillar key={pillar.key} pillar={pillar} times={toSearch(asked)} />
                ))}
              </ul>
            </Section>
          </>
        )}
      </StoreLoaded>
    </div>
  );
}

function Grade({ score: { grade, score, totals } }: { score: TrafficScore }) {
  return (
    <div className={own.grade}>
      <span className={own.letter} data-tone={GRADE_TONES[grade]} aria-hidden="true">
        {grade}
      </span>
      <div>
        <div className={own.gradeWords}>{text.grade(grade, score)}</div>
        <p className={classes.dim}>
          {score === null
            ? text.none
            : text.totals(Math.round(totals.requests).toLocaleString('en'), totals.operations.toLocaleString('en'))}
        </p>
        <OpenFindings />
      </div>
    </div>
  );
}

interface PillarProps {
  readonly pillar: TrafficScorePillar;
  readonly times: Readonly<Record<string, string>>;
}

function Pillar({ pillar, times }: PillarProps) {
  const { label, score, grade, weight, summary, missing, raises } = pillar;
  return (
    <li className={classes.card}>
      <div className={classes.cardHead}>
        <h3 className={classes.cardTitle}>{label}</h3>
        <span className={classes.dim}>{text.weight(Math.round(weight * 100))}</span>
      </div>
      {score === null || grade === null ? (
        <p className={classes.dim}>{text.noScore(missing)}</p>
      ) : (
        <>
          <ShareBar share={score / 100} tone={GRADE_TONES[grade]}>
            {grade} · {text.points(score)}
          </ShareBar>
          <p>{summary}</p>
          <Raises raises={raises} times={times} />
        </>
      )}
    </li>
  );
}

function Raises({ raises, times }: { raises: TrafficScorePillar['raises'] } & Pick<PillarProps, 'times'>) {
  if (raises.length === 0) return <p className={classes.dim}>{text.nothing}</p>;
  return (
    <>
      <p>
        <b>{text.raises}</b>
      </p>
      <ul className={layout.names}>
        {raises.map(({ finding, text: words, gain, total_gain: total, filter }) => (
          <li key={finding}>
            {words} <span className={classes.dim}>{text.gain(gain, total.toLocaleString('en'))}</span>{' '}
            <EventsLink search={{ ...times, ...filter }}>{text.show}</EventsLink>
          </li>
        ))}
      </ul>
    </>
  );
}
