import type { TrafficGroup } from '@flotilla/contract';
import { useState } from 'react';
import { countryName } from '../countries.ts';
import { texts } from '../texts.tsx';
import classes from './charts.module.css';
import { COUNTRY_TILES, TILE_COLUMNS, TILE_ROWS } from './country-tiles.ts';
import { formatPercent } from './parts-bar.tsx';
import { shadeOf } from './shade.ts';

const text = texts.map;

/** Space between two tiles, in tiles. */
const GAP = 0.08;

interface CountryMapProps {
  readonly groups: readonly Pick<TrafficGroup, 'value' | 'requests'>[];
  /** The requests of all countries. */
  readonly total: number;
}

/** Draws where requests come from. The table beside it has the same numbers for keyboards and screen readers. */
export function CountryMap({ groups, total }: CountryMapProps) {
  const [pointed, setPointed] = useState<string>();
  const requestsOf = new Map(groups.map(({ value, requests }) => [value, requests]));
  const most = Math.max(0, ...requestsOf.values());
  const describe = (code: string) => {
    const requests = requestsOf.get(code) ?? 0;
    return text.place(
      countryName(code),
      Math.round(requests).toLocaleString('en'),
      formatPercent(requests / Math.max(1, total)),
    );
  };
  return (
    <figure className={classes.figure}>
      <svg
        viewBox={`0 0 ${TILE_COLUMNS} ${TILE_ROWS}`}
        className={classes.map}
        role="img"
        aria-label={text.title}
        onPointerLeave={() => setPointed(undefined)}
      >
        {COUNTRY_TILES.map(({ code, x, y }) => {
          const shade = shadeOf(requestsOf.get(code) ?? 0, most);
          return (
            <g key={code} onPointerEnter={() => setPointed(code)}>
              <rect
                x={x + GAP / 2}
                y={y + GAP / 2}
                width={1 - GAP}
                height={1 - GAP}
                rx={0.12}
                fill="var(--f-hover)"
                stroke={pointed === code ? 'var(--mantine-color-text)' : 'none'}
                strokeWidth={0.06}
              />
              {shade > 0 && (
                <rect
                  x={x + GAP / 2}
                  y={y + GAP / 2}
                  width={1 - GAP}
                  height={1 - GAP}
                  rx={0.12}
                  fill="var(--f-busy)"
                  opacity={shade}
                  pointerEvents="none"
                />
              )}
              <text x={x + 0.5} y={y + 0.64} className={shade > 0.5 ? classes.codeOnDark : classes.code}>
                {code}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption className={classes.caption}>{pointed === undefined ? text.hint : describe(pointed)}</figcaption>
    </figure>
  );
}
