import {
  apiTokenRoutes,
  auditRoutes,
  groupRoutes,
  jobRoutes,
  permissionRoutes,
  policyRoutes,
  projectRoutes,
  shieldEventRoutes,
  shieldTrialRoutes,
  userRoutes,
} from '@flotilla/contract';
import type { Places } from './furnish.ts';
import { labelOf, type Screen } from './screen.ts';
import { PROJECT } from './stage.ts';

/** The screens of a project's access, security and history. */
export function listProjectScreens(places: Places): readonly Screen[] {
  const base = `/p/${PROJECT}`;
  return [
    { name: 'groups', path: `${base}/groups`, heading: 'Groups', needs: groupRoutes.list },
    {
      name: 'group-new',
      path: `${base}/groups?create=group`,
      heading: 'Groups',
      needs: groupRoutes.create,
      dialog: 'Create a group',
    },
    {
      name: 'group',
      path: `${base}/groups?group=${places.group}`,
      heading: 'Groups',
      needs: groupRoutes.get,
      dialog: 'Members',
    },
    { name: 'permissions', path: `${base}/permissions`, heading: 'Permissions', needs: permissionRoutes.list },
    {
      name: 'permissions-services',
      path: `${base}/permissions?tab=service`,
      heading: 'Permissions',
      needs: permissionRoutes.list,
      tab: 'Services',
    },

    { name: 'policies', path: `${base}/policies`, heading: 'Policies', needs: policyRoutes.list },
    { name: 'policy-new', path: `${base}/policies/new`, heading: 'New policy', needs: policyRoutes.create },
    { name: 'policy', path: `${base}/policies/demo-policy`, heading: /^demo-policy/, needs: policyRoutes.get },
    ...['structure', 'nodes', 'traffic'].map((tab) => ({
      name: `policy-${tab}`,
      path: `${base}/policies/demo-policy?tab=${tab}`,
      heading: /^demo-policy/,
      needs: policyRoutes.get,
      tab: labelOf(tab),
    })),
    {
      name: 'policy-try',
      path: `${base}/policies/demo-policy?tab=try&url=https://example.com/api/`,
      heading: /^demo-policy/,
      needs: shieldTrialRoutes.try,
      tab: 'Try a request',
    },
    ...['defaults', 'd0', 'd0.r0', 'd0.r1'].map((at) => ({
      name: `policy-form-${at}`,
      path: `${base}/policies/demo-policy?at=${at}`,
      heading: /^demo-policy/,
      needs: policyRoutes.get,
    })),
    {
      name: 'policy-saved',
      path: `${base}/policies/demo-policy?saved=2`,
      heading: /^demo-policy/,
      needs: policyRoutes.get,
    },
    {
      name: 'policy-history',
      path: `${base}/policies/demo-policy?tab=history`,
      heading: /^demo-policy/,
      needs: policyRoutes.get,
      tab: 'History',
    },

    {
      name: 'shield-events',
      path: `${base}/shield/events`,
      heading: 'Filter events',
      needs: shieldEventRoutes.list,
    },
    {
      name: 'shield-try',
      path: `${base}/shield/try?service=${places.service}&url=https://example.com/limited/`,
      heading: 'Try a request',
      needs: shieldTrialRoutes.try,
    },

    { name: 'jobs', path: `${base}/jobs`, heading: 'Jobs', needs: jobRoutes.list },
    {
      name: 'job-schedules',
      path: `${base}/jobs?tab=schedules`,
      heading: 'Jobs',
      needs: jobRoutes.schedules,
      tab: 'Schedules',
    },
    {
      name: 'job-workers',
      path: `${base}/jobs?tab=workers`,
      heading: 'Jobs',
      needs: jobRoutes.workers,
      tab: 'Workers',
    },
    { name: 'job', path: `${base}/jobs/${places.job}`, heading: /^Job \d/, needs: jobRoutes.get },
    { name: 'job-missing', path: `${base}/jobs/999999`, heading: 'Job', needs: jobRoutes.list },
    { name: 'audit', path: `${base}/audit`, heading: 'Audit log', needs: auditRoutes.list },
    {
      name: 'audit-entry',
      path: `${base}/audit?entry=${places.auditEntry}`,
      heading: 'Audit log',
      needs: auditRoutes.list,
      dialog: /./,
    },
    { name: 'users', path: `${base}/users`, heading: 'Users', needs: userRoutes.list },
    { name: 'users-all', path: `${base}/users?scope=all`, heading: 'Users', needs: projectRoutes.list },
    { name: 'user-add', path: `${base}/users?add=member`, heading: 'Users', needs: userRoutes.addMember, dialog: /./ },
    { name: 'user-new', path: `${base}/users?add=account`, heading: 'Users', needs: userRoutes.create, dialog: /./ },
    { name: 'user', path: `${base}/users/${places.user}`, heading: /^ann/, needs: userRoutes.get },
    { name: 'tokens', path: `${base}/tokens`, heading: 'API tokens', needs: apiTokenRoutes.list },
    {
      name: 'token-create',
      path: `${base}/tokens?create=token`,
      heading: 'API tokens',
      needs: apiTokenRoutes.create,
      dialog: 'Create an API token',
    },
    {
      name: 'token-rotate',
      path: `${base}/tokens?rotate=${places.token}`,
      heading: 'API tokens',
      needs: apiTokenRoutes.rotate,
      dialog: 'Rotate the secret of the token',
    },
    {
      name: 'project-create',
      path: '/projects?create=project',
      heading: 'Projects',
      needs: projectRoutes.create,
      dialog: 'Create a project',
    },
    {
      name: 'project-edit',
      path: `/projects?edit=${places.emptyProject?.id}`,
      heading: 'Projects',
      needs: projectRoutes.patch,
      dialog: 'Edit the project',
    },
    {
      name: 'project-delete',
      path: `/projects?delete=${places.emptyProject?.id}`,
      heading: 'Projects',
      needs: projectRoutes.planDeletion,
      dialog: 'Delete the project',
    },
    { name: 'projects', path: '/projects', heading: 'Projects', needs: projectRoutes.list },
  ];
}
