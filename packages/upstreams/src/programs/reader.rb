# What Rack takes from requests: a line of JSON for each on standard input, and on standard output what was read.
require 'json'
require 'rack'
require 'stringio'

METHOD_OVERRIDE = Rack::MethodOverride.new(->(env) { [200, { 'method' => env['REQUEST_METHOD'] }, []] })

def environment(sent)
  path, query = sent['target'].split('?', 2)
  {
    'REQUEST_METHOD' => sent['method'],
    'PATH_INFO' => path,
    'QUERY_STRING' => query || '',
    'CONTENT_TYPE' => sent['type'],
    'CONTENT_LENGTH' => sent['body'].unpack1('m').bytesize.to_s,
    'rack.input' => StringIO.new(sent['body'].unpack1('m').b),
    'rack.errors' => StringIO.new,
    'rack.url_scheme' => 'http',
  }.compact
end

def attempt
  yield
rescue StandardError
  nil
end

# Rails looks for a list under `_json`.
def documents_of(params)
  return [] unless params.is_a?(Hash)
  list = params['_json'].is_a?(Array) ? params['_json'] : []
  [params, *list].map { |item| item['query'] if item.is_a?(Hash) }.grep(String)
end

$stdout.sync = true
puts 'ready'
$stdin.each_line do |line|
  sent = JSON.parse(line)
  documents = %i[GET POST params].flat_map do |name|
    documents_of(attempt { Rack::Request.new(environment(sent)).public_send(name) })
  end
  answer = attempt { METHOD_OVERRIDE.call(environment(sent)) }
  method = answer ? answer[1]['method'] : sent['method']
  puts JSON.generate(documents: documents.map { |text| [text].pack('m0') }, methods: [[method].pack('m0')])
end
