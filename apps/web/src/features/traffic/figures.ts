import { texts } from './texts.tsx';

const text = texts.figures;

/** Formats requests per second: `0.25/s`, `12.3/s`, `1,250/s`. */
export function formatRate(rate: number | null): string {
  if (rate === null) return text.unknown;
  if (rate > 0 && rate < 0.01) return text.belowHundredth;
  return text.perSecond(formatShort(rate));
}

/** Formats a share between 0 and 1 as percent; never rounds some errors to none, nor nearly all to all. */
export function formatShare(share: number | null): string {
  if (share === null) return text.unknown;
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1%';
  if (percent < 100 && percent > 99.9) return '>99.9%';
  return `${Number.isInteger(percent) ? percent : percent.toFixed(1)}%`;
}

export function formatMs(ms: number | null): string {
  if (ms === null) return text.unknown;
  return ms >= 1000 ? text.s(formatShort(ms / 1000)) : text.ms(formatShort(ms));
}

/** Three significant digits, and whole numbers from 100 on. */
export function formatShort(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(value < 1 ? 2 : 3)));
}
