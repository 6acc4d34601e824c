
'use strict';
(function () {
  // All is there without this: it sorts, filters and folds. What is chosen stands in the address, so that it can be sent:
  // #upgrades.filter=tide&upgrades.sort=-installed&upgrades.look=0&theme=dark
  var root = document.documentElement;
  var order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  var state = new URLSearchParams(location.hash.slice(1));

  // Addresses of sections are no choice.
  Array.from(state.keys()).forEach(function (name) {
    if (!/^(theme|[a-z]+\.(filter|sort|look))$/.test(name)) { state.delete(name); }
  });

  function remember(key, value) {
    if (value) { state.set(key, value); } else { state.delete(key); }
    var text = state.toString();
    try { history.replaceState(null, '', text ? '#' + text : location.pathname + location.search); } catch (refused) { /* framed */ }
  }

  function make(name, text) {
    var element = document.createElement(name);
    if (text) { element.textContent = text; }
    return element;
  }

  function key(row, at) {
    var cell = row.cells[at];
    if (!cell) { return ''; }
    return cell.dataset.key === undefined ? cell.textContent : cell.dataset.key;
  }

  function table(element) {
    var name = element.id.replace(/-table$/, '');
    var body = element.tBodies[0];
    var rows = Array.from(body.rows);
    var words = rows.map(function (row) { return row.textContent.toLowerCase(); });
    var headings = Array.from(element.tHead.rows[0].cells);

    function sort(at, direction) {
      var sorted = rows.slice();
      if (direction) {
        sorted.sort(function (a, b) { return direction * order.compare(key(a, at), key(b, at)); });
      }
      body.append.apply(body, sorted);
      headings.forEach(function (heading, nth) {
        if (nth === at && direction) {
          heading.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
        } else {
          heading.removeAttribute('aria-sort');
        }
      });
    }

    headings.forEach(function (heading, at) {
      var button = make('button', heading.textContent);
      button.type = 'button';
      heading.textContent = '';
      heading.append(button);
      button.addEventListener('click', function () {
        var now = heading.getAttribute('aria-sort');
        var next = now === 'ascending' ? -1 : now === 'descending' ? 0 : 1;
        sort(at, next);
        remember(name + '.sort', next ? (next > 0 ? '' : '-') + slug(heading) : '');
      });
    });

    function slug(heading) {
      return heading.textContent.toLowerCase().replace(/[^a-z0-9.]+/g, '-');
    }

    var wanted = state.get(name + '.sort') || '';
    headings.forEach(function (heading, at) {
      if (slug(heading) === wanted.replace(/^-/, '')) { sort(at, wanted[0] === '-' ? -1 : 1); }
    });

    if (6 > rows.length && !state.has(name + '.filter')) { return; }
    var tools = make('div');
    tools.className = 'tools';
    var label = make('label', 'Filter ');
    var field = make('input');
    field.type = 'search';
    field.value = state.get(name + '.filter') || '';
    label.append(field);
    var told = make('output');
    told.setAttribute('aria-live', 'polite');
    tools.append(label);
    var graded = rows.filter(function (row) { return /^(bad|warn)$/.test(row.dataset.grade); }).length;
    var only = null;
    if (graded > 0 && rows.length > graded) {
      var box = make('label');
      only = make('input');
      only.type = 'checkbox';
      only.checked = state.get(name + '.look') !== '0';
      box.append(only, ' only what is worth a look');
      tools.append(box);
    }
    tools.append(told);
    var place = element.parentElement.classList.contains('scroll') ? element.parentElement : element;
    place.before(tools);

    function filter() {
      var parts = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      rows.forEach(function (row, nth) {
        var is = parts.every(function (part) { return words[nth].includes(part); });
        if (is && only && only.checked) { is = /^(bad|warn)$/.test(row.dataset.grade); }
        row.hidden = !is;
        if (is) { shown += 1; }
      });
      told.textContent = shown === rows.length ? rows.length + ' rows' : shown + ' of ' + rows.length + ' rows';
    }

    function chosen() {
      filter();
      remember(name + '.filter', field.value);
      if (only) { remember(name + '.look', only.checked ? '' : '0'); }
    }
    field.addEventListener('input', chosen);
    if (only) { only.addEventListener('change', chosen); }
    filter();
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  }

  function theme() {
    var button = make('button');
    button.type = 'button';
    function name() { button.textContent = isDark() ? 'Light theme' : 'Dark theme'; }
    if (/^(light|dark)$/.test(state.get('theme') || '')) { root.dataset.theme = state.get('theme'); }
    button.addEventListener('click', function () {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      remember('theme', root.dataset.theme);
      name();
    });
    name();
    document.querySelector('header').append(button);
  }

  function folds(section) {
    var all = Array.from(section.querySelectorAll('details.package'));
    if (3 > all.length) { return; }
    var button = make('button', 'Unfold all');
    button.type = 'button';
    var tools = make('div');
    tools.className = 'tools';
    tools.append(button);
    all[0].before(tools);
    button.addEventListener('click', function () {
      var open = all.some(function (one) { return !one.open; });
      all.forEach(function (one) { one.open = open; });
      button.textContent = open ? 'Fold all' : 'Unfold all';
    });
  }

  // Whoever follows a link to something that is folded wants to see it.
  function unfold() {
    var target = document.getElementById(location.hash.slice(1));
    if (!target || target.tagName !== 'DETAILS') { return; }
    target.open = true;
    target.scrollIntoView();
    target.querySelector('summary').focus({ preventScroll: true });
  }

  // Paper has no folds. What was folded is folded again afterwards.
  function print() {
    var opened = [];
    addEventListener('beforeprint', function () {
      opened = Array.from(document.querySelectorAll('details:not([open])'));
      opened.forEach(function (one) { one.open = true; });
    });
    addEventListener('afterprint', function () {
      opened.forEach(function (one) { one.open = false; });
      opened = [];
    });
  }

  theme();
  print();
  document.querySelectorAll('table').forEach(table);
  document.querySelectorAll('section').forEach(folds);
  addEventListener('hashchange', unfold);
  unfold();
  root.dataset.ready = '1';
}());
