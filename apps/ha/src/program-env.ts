/** Services often have no folders of the administrator in their PATH. */
export const PROGRAM_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' };
