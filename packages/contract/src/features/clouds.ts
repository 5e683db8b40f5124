import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf } from '../schemas.ts';
import { CLOUD_SETTINGS, cloudNameSchema } from '../settings/cloud.ts';
import { readingSettings, SETTING_BASE, settingAdmins } from './setting-calls.ts';
import { settingSchema } from './settings.ts';

const projectQuery = z.strictObject({ project: idSchema });
const projectWriteQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const cloudParams = z.strictObject({ cloud_name: cloudNameSchema });
const cloudWrite = {
  tag: 'Settings',
  family: 'settings',
  access: settingAdmins,
  project: 'query',
  query: projectWriteQuery,
} as const;

export const cloudRoutes = {
  list: defineRoute({
    ...readingSettings,
    project: 'query',
    id: 'listClouds',
    path: `${SETTING_BASE}/clouds`,
    summary: 'List the clouds of the project, without their secrets',
    query: projectQuery,
    response: listOf(settingSchema),
  }),
  get: defineRoute({
    ...readingSettings,
    project: 'query',
    id: 'getCloud',
    path: `${SETTING_BASE}/clouds/:cloud_name`,
    summary: 'Read a cloud, without its secret',
    params: cloudParams,
    query: projectQuery,
    response: settingSchema,
  }),
  create: defineRoute({
    ...cloudWrite,
    id: 'createCloud',
    method: 'POST',
    path: `${SETTING_BASE}/clouds/:cloud_name`,
    summary: 'Add a cloud',
    audit: 'setting.create',
    params: cloudParams,
    body: CLOUD_SETTINGS.schema,
    status: 201,
    response: settingSchema,
  }),
  replace: defineRoute({
    ...cloudWrite,
    id: 'replaceCloud',
    method: 'PUT',
    path: `${SETTING_BASE}/clouds/:cloud_name`,
    summary: 'Replace a cloud; its secret stays if it is left out',
    audit: 'setting.update',
    params: cloudParams,
    body: CLOUD_SETTINGS.schema,
    writes: 'value',
    status: 200,
    response: settingSchema,
  }),
  delete: defineRoute({
    ...cloudWrite,
    id: 'deleteCloud',
    method: 'DELETE',
    path: `${SETTING_BASE}/clouds/:cloud_name`,
    summary: 'Delete a cloud with its secret',
    audit: 'setting.delete',
    params: cloudParams,
    status: 204,
  }),
};
