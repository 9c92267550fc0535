/** A small window into the workspace. Text from outside enters the page only as text. */

const $ = (id) => document.getElementById(id);

async function call(path, body, headers = {}) {
  const secret = localStorage.getItem("login-secret") ?? "";
  const response = await fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "X-App": "1",
      "X-Login-Secret": secret,
      "Content-Type": "application/json",
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const value = await response.json();
  if (response.ok) return value;
  throw Object.assign(new Error([value.detail, value.hint].filter(Boolean).join(" ")), value);
}

function show(error) {
  $("notice").hidden = error === undefined;
  $("notice").textContent = error?.message ?? "";
}

function on(id, event, action) {
  $(id).addEventListener(event, (happened) => {
    happened.preventDefault();
    show();
    action().catch(show);
  });
}

function element(tag, text, children = []) {
  const node = document.createElement(tag);
  node.textContent = text;
  node.append(...children);
  return node;
}

function cell(name, value) {
  if (name.endsWith("At") && typeof value === "number") return new Date(value).toLocaleString();
  return String(value ?? "");
}

function table(items, empty) {
  if (items.length === 0) return element("p", empty);
  const isPlain = (name) => typeof items[0][name] !== "object";
  const names = Object.keys(items[0]).filter(isPlain).slice(0, 6);
  const head = names.map((name) => element("th", name));
  const rows = items.map((item) => names.map((name) => element("td", cell(name, item[name]))));
  return element(
    "table",
    "",
    [head, ...rows].map((cells) => element("tr", "", cells)),
  );
}

async function list(place, path, empty) {
  const output = await call(path);
  $(place).replaceChildren(table(Object.values(output).find(Array.isArray) ?? [], empty));
}

const schemaOf = (part) => part?.content?.["application/json"]?.schema;

/** Uses the operation of `ask` that gives an `answer`, and shows whatever it gives back. */
function offerAsk(paths) {
  const givesAnswer = ([path, { post }]) =>
    path.startsWith("/api/v1/ask/") && schemaOf(post?.responses[200])?.properties?.answer;
  const [path, item] = Object.entries(paths).find(givesAnswer) ?? [];
  const [field] = schemaOf(item?.post.requestBody)?.required ?? [];
  $("ask").hidden = field === undefined;
  on("ask", "submit", async () => {
    $("progress").textContent = "Asking…";
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const asked = call(path, { [field]: $("question").value }, key);
    await asked.then((output) => showAnswer(output, paths["/api/v1/exchange/show"])).catch(show);
    $("progress").textContent = "";
  });
}

async function showAnswer({ answer, prompt, ...rest }, exchange) {
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
  const fold = (title, value) =>
    element("details", "", [element("summary", title), element("pre", text(value))]);
  const name = exchange?.get?.parameters[0]?.name;
  const behind =
    prompt ?? (name && (await call(`/api/v1/exchange/show?${name}=${rest.exchangeId}`)));
  const folds = [fold("The prompt behind it", behind ?? "–"), fold("What else came back", rest)];
  $("answer").replaceChildren(element("pre", text(answer?.answer ?? answer ?? rest)), ...folds);
}

async function work() {
  const { name, role } = await call("/api/v1/login/me");
  const { version } = await call("/version");
  const { paths } = await call("/api/openapi.json");
  $("who").textContent = `${name} · ${role} · running version ${version}`;
  $("leave").hidden = $("work").hidden = false;
  offerAsk(paths);
  for (;;) {
    if (paths["/api/v1/inbox/list"])
      await list("inbox", "/api/v1/inbox/list", "Nothing needs you.");
    if (paths["/api/v1/run/list"]) await list("runs", "/api/v1/run/list", "Nothing has run yet.");
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

async function enter(path, body) {
  const { secret } = await call(`/api/v1/login/${path}`, body);
  localStorage.setItem("login-secret", secret);
  history.replaceState(null, "", "/");
}

const given = new URLSearchParams(location.hash.slice(1));
const [code, invitation] = [given.get("code"), given.get("invite")];

addEventListener("hashchange", () => location.reload());
on("leave", "click", async () => {
  await call("/api/v1/login/logout", {}).catch(show);
  localStorage.clear();
  location.reload();
});
on("enter", "submit", async () => {
  const password = $("password").value;
  if (invitation) await enter("accept", { code: invitation, password });
  else await enter("password", { email: $("email").value, password });
  location.reload();
});
try {
  if (code) await enter("exchange", { code });
  if (!invitation) await work();
} catch (error) {
  if (code || error.status !== 401) show(error);
}
$("work").hidden = true;
$("enter").hidden = false;
$("email-row").hidden = Boolean(invitation);
