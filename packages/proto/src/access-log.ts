/** Header of Envoy's access log streams: `on` if the request filter is asked about the requests. */
export const ACCESS_LOG_FILTER_HEADER = 'flotilla-filter';
