<?php
// What PHP, and graphql-php behind it, take from a request: `php -S 127.0.0.1:PORT reader.php`.
$documents = [];
$methods = [];

// GraphQL\Server\Helper and OperationParams::create: a body with a key 0 is a list; letter case of keys is no matter.
$parsed = [];
parse_str(html_entity_decode($_SERVER['QUERY_STRING'] ?? ''), $parsed);
foreach ([[$_GET], isset($_POST[0]) ? $_POST : [$_POST], [$_REQUEST], [$parsed]] as $items) {
    foreach ($items as $item) {
        if (!is_array($item)) {
            continue;
        }
        $query = array_change_key_case($item, CASE_LOWER)['query'] ?? null;
        if (is_string($query)) {
            $documents[] = base64_encode($query);
        }
    }
}

// Symfony and Laravel: of a POST, from the form and then from the query. Slim: in capitals.
foreach ([$_POST, $_GET] as $params) {
    foreach (['_method', '_METHOD'] as $name) {
        if (is_string($params[$name] ?? null)) {
            $methods[] = base64_encode($params[$name]);
        }
    }
}

header('content-type: application/json');
echo json_encode(['documents' => $documents, 'methods' => $methods]);
