import { expect, it } from 'vitest';
import { countryName } from '../countries.ts';
import { COUNTRY_TILES, TILE_COLUMNS, TILE_ROWS } from './country-tiles.ts';

it('every country has one tile of its own, within the grid', () => {
  const codes = COUNTRY_TILES.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  const places = COUNTRY_TILES.map(({ x, y }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(places.length);
  expect(COUNTRY_TILES.every(({ x, y }) => x >= 0 && x < TILE_COLUMNS && y < TILE_ROWS)).toBe(true);
  expect(codes.length).toBeGreaterThan(190);
});

it('every code is that of a country', () => {
  expect(COUNTRY_TILES.filter(({ code }) => countryName(code) === code)).toEqual([]);
});
