"""Programs that others wrote: scikit-learn's and SciPy's functions on Clary arrays give what they give on NumPy's.

Both find the namespace of their arguments by the array API's protocols (SCIPY_ARRAY_API is set in conftest.py).
"""
import warnings

import numpy as np
import pytest
from support import rng

import clary

sklearn = pytest.importorskip("sklearn", minversion="1.6")
pytest.importorskip("scipy", minversion="1.15")

G = rng("programs")
X = G.normal(size=(90, 6)).astype(np.float32)
LABELS = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
TARGET = (X @ np.arange(6) + G.normal(size=90)).astype(np.float32)


def _parts(result):
    """The arrays and numbers that a result is made of."""
    if isinstance(result, (tuple, list)):
        return [part for item in result for part in _parts(item)]
    if hasattr(result, "statistic"):
        return _parts((result.statistic, result.pvalue))
    return [result]


def _compare(name, want, got, tol):
    """The same numbers, and no NumPy array where Clary's went in."""
    want, got = _parts(want), _parts(got)
    assert len(got) == len(want), name
    for g, w in zip(got, want):
        assert not isinstance(g, np.ndarray), f"{name} fell back to NumPy"
        np.testing.assert_allclose(clary.asnumpy(g) if isinstance(g, clary.Array) else g, w, rtol=tol, atol=tol,
                                   err_msg=name)


@pytest.fixture
def interpreted(tier):
    """A tier that does not compile: these programs make thousands of small kernels."""
    if tier.compiled and not tier.long:
        pytest.skip("needs --long where every kernel is compiled")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield tier


def _run(cases, host, tol=1e-4):
    device = [clary.asarray(a) for a in host]
    for name, function in cases.items():
        with sklearn.config_context(array_api_dispatch=False):
            want = function(*host)
        with sklearn.config_context(array_api_dispatch=True):
            _compare(name, want, function(*device), tol)


def test_sklearn_estimators(interpreted):
    from sklearn.calibration import CalibratedClassifierCV  # noqa: F401  (imports what dispatch needs)
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import train_test_split

    def pca(solver):
        return lambda x, y, t: abs(PCA(3, svd_solver=solver, random_state=0).fit(x).transform(x))

    def round_trip(x, y, t):
        model = PCA(3, svd_solver="full").fit(x)
        return model.inverse_transform(model.transform(x))

    _run({
        "PCA full": pca("full"),
        "PCA covariance_eigh": pca("covariance_eigh"),
        "PCA randomized": pca("randomized"),
        "PCA inverse": round_trip,
        "LinearDiscriminantAnalysis": lambda x, y, t: LinearDiscriminantAnalysis().fit(x, y).predict_proba(x),
        "Ridge": lambda x, y, t: Ridge(solver="svd").fit(x, t).predict(x),
        "train_test_split": lambda x, y, t: train_test_split(x, y, random_state=0),
    }, (X, LABELS, TARGET), 1e-3)


def test_sklearn_preprocessing(interpreted):
    from sklearn import preprocessing

    names = ["StandardScaler", "MinMaxScaler", "MaxAbsScaler", "Normalizer", "Binarizer", "PolynomialFeatures"]
    cases = {n: lambda x, y, n=n: getattr(preprocessing, n)().fit_transform(x) for n in names}
    cases["KernelCenterer"] = lambda x, y: preprocessing.KernelCenterer().fit_transform(x @ x.T)
    cases["LabelEncoder"] = lambda x, y: preprocessing.LabelEncoder().fit_transform(y)
    _run(cases, (X, LABELS))


def test_sklearn_metrics(interpreted):
    from sklearn import metrics
    from sklearn.metrics import pairwise

    plain = ["accuracy_score", "balanced_accuracy_score", "zero_one_loss", "hamming_loss", "cohen_kappa_score",
             "confusion_matrix", "matthews_corrcoef"]
    averaged = ["f1_score", "precision_score", "recall_score", "jaccard_score"]
    regression = ["mean_squared_error", "mean_absolute_error", "r2_score", "mean_absolute_percentage_error",
                  "explained_variance_score", "max_error", "root_mean_squared_error", "mean_pinball_loss",
                  "mean_tweedie_deviance", "d2_tweedie_score", "median_absolute_error", "mean_squared_log_error"]
    ranking = ["log_loss", "brier_score_loss", "roc_auc_score", "average_precision_score", "roc_curve",
               "precision_recall_curve"]
    pairs = ["cosine_similarity", "euclidean_distances", "linear_kernel", "rbf_kernel", "polynomial_kernel",
             "sigmoid_kernel", "laplacian_kernel", "cosine_distances", "paired_cosine_distances",
             "paired_euclidean_distances", "additive_chi2_kernel", "chi2_kernel", "manhattan_distances"]
    cases = {n: lambda x, y, t, n=n: getattr(metrics, n)(y, y[::-1]) for n in plain if hasattr(metrics, n)}
    cases |= {n: lambda x, y, t, n=n: getattr(metrics, n)(y, y[::-1], average="macro") for n in averaged}
    cases |= {n: lambda x, y, t, n=n: getattr(metrics, n)(abs(t) + 1, abs(t[::-1]) + 1) for n in regression}
    cases |= {n: lambda x, y, t, n=n: getattr(metrics, n)(y > 0, x[:, 0] * 0.1 + 0.5) for n in ranking}
    cases |= {n: lambda x, y, t, n=n: getattr(pairwise, n)(abs(x), abs(x[::-1])) for n in pairs}
    _run(cases, (X, LABELS, TARGET))


def _scipy(module, table, tol=1e-7):
    for name, args in table.items():
        function = getattr(module, name)
        device = [clary.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
        _compare(f"{module.__name__}.{name}", function(*args), function(*device), tol)


def test_scipy_special(interpreted):
    from scipy import special

    p = G.random(40) * 0.98 + 0.01
    one = ["log_ndtr", "ndtr", "ndtri", "erf", "erfc", "i0", "i0e", "i1", "i1e", "gammaln", "expit", "logit", "entr"]
    two = ["xlogy", "rel_entr", "gammainc", "chdtr", "stdtr"]
    table = {n: (p,) for n in one} | {n: (p, p[::-1].copy()) for n in two}
    table |= {"betainc": (p, p, p), "logsumexp": (p,), "softmax": (p,), "log_softmax": (p,), "zeta": (p + 2, p + 1)}
    _scipy(special, table)


def test_scipy_stats(interpreted):
    from scipy import stats

    x, y, p = G.normal(size=60), G.normal(size=60) + 0.3, G.random(40) * 0.98 + 0.01
    one = ["zscore", "skew", "kurtosis", "skewtest", "kurtosistest", "normaltest", "jarque_bera", "variation", "sem",
           "tmean", "tvar", "tmin", "tmax", "tstd", "tsem", "circmean", "circvar", "circstd", "rankdata"]
    two = ["pearsonr", "ttest_ind", "ttest_rel", "bartlett", "zmap", "kruskal", "wilcoxon", "mannwhitneyu"]
    table = {n: (x,) for n in one} | {n: (x, y) for n in two}
    table |= {"moment": (x, 2), "gmean": (abs(x),), "hmean": (abs(x),), "pmean": (abs(x), 2), "gzscore": (abs(x),),
              "entropy": (p,), "ttest_1samp": (x, 0.0), "combine_pvalues": (p,), "false_discovery_control": (p,),
              "chisquare": (np.array([16.0, 18, 16, 14, 12, 12]),), "trim_mean": (x, 0.1), "iqr": (x,)}
    _scipy(stats, table)


def test_scipy_signal_and_images(interpreted):
    from scipy import integrate, ndimage, signal

    x, y, image = G.normal(size=80), G.normal(size=9), G.normal(size=(20, 24))
    _scipy(signal, {"detrend": (image,), "convolve": (x, y), "correlate": (x, y), "fftconvolve": (x, y),
                    "oaconvolve": (x, y), "hilbert": (x,), "savgol_filter": (x, 7, 2), "resample": (x, 50)})
    _scipy(ndimage, {"gaussian_filter": (image, 1.0), "uniform_filter": (image, 3), "convolve": (image, image[:3, :3]),
                     "sobel": (image,), "laplace": (image,), "median_filter": (image, 3), "rotate": (image, 30),
                     "zoom": (image, 2), "label": (image > 0,), "center_of_mass": (abs(image),)})
    _scipy(integrate, {"trapezoid": (x,), "simpson": (x,), "cumulative_trapezoid": (x,)})


def test_scipy_cluster(interpreted):
    from scipy.cluster import hierarchy, vq

    points, distances = X[:40].astype(float), G.random(45)
    _scipy(vq, {"whiten": (points,), "vq": (points, points[:3])})
    _scipy(hierarchy, {"linkage": (distances,), "complete": (distances,), "average": (distances,)})
