import type { ColumnType } from 'kysely';

export type Timestamp = ColumnType<Date, Date | string, Date | string>;
export type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** A JSON column, written as text and read as a parsed value. */
export type JsonText<T> = ColumnType<T, string, string>;
/** The same with a default value. */
export type DefaultedJson<T> = ColumnType<T, string | undefined, string>;
export type NullableJson<T = unknown> = ColumnType<T | null, string | null | undefined, string | null>;
